import type { Message } from '@causeway/messaging';
import type { IHeaders, KafkaMessage, Message as KafkaRecord } from 'kafkajs';
import { createHash } from 'node:crypto';

/** What a record says beside the message. Absent from what it does not concern. */
export type Envelope = Readonly<{
  /** A command: the id of this asking of it, and who waits for the reply. */
  requestId?: string;
  replyTo?: string;
  replyPartition?: number;
  /** How long the sender still waited at `sentAt`, which is by the brokers' clock. */
  timeLeftMs?: number;
  sentAt?: number;
  /** Sent again from the dead letters: for this group alone, with what came of it before. */
  letter?: string;
  onlyGroup?: string;
  attemptsBefore?: number;
  firstFailedAt?: string;
}>;

const hex = (text: string, bytes: number): string =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * bytes);

/**
 * W3C trace context. The trace is the request that it all began with, the parent is the message that led to this one:
 * every process derives the same ids, so nothing has to be handed from one to the next.
 */
const traceparent = ({ correlationId, causationId }: Message): string =>
  `00-${hex(correlationId, 16)}-${hex(causationId, 8)}-01`;

const numbers = ['replyPartition', 'timeLeftMs', 'sentAt', 'attemptsBefore'] as const;
const texts = ['requestId', 'replyTo', 'letter', 'onlyGroup', 'firstFailedAt'] as const;
const headerName = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** `data` is the record's value, in JSON; all else is in headers. An attachment stays the bytes that it is. */
export const recordOf = (message: Message, envelope: Envelope = {}): KafkaRecord => {
  const { id, type, key, data, attachment, correlationId, causationId } = message;
  const headers: IHeaders = {
    'message-id': id,
    'message-type': type,
    'correlation-id': correlationId,
    'causation-id': causationId,
    traceparent: traceparent(message),
    ...(attachment === undefined ? {} : { attachment }),
  };
  for (const [field, value] of Object.entries(envelope)) headers[headerName(field)] = String(value);
  return { key, value: JSON.stringify(data), headers };
};

/** `partition`: the one of the replies that the process reads. */
export type Address = Readonly<{ process: string; partition: number }>;

export const replyRecord = ({ process, partition }: Address, requestId: string, value: string): KafkaRecord => ({
  key: process,
  partition,
  value,
  headers: { 'reply-to': process, 'request-id': requestId },
});

export type Received = Readonly<{ message: Message; envelope: Envelope; unreadable?: string }>;

export const header = (headers: IHeaders | undefined, name: string): string | undefined =>
  headers?.[name] === undefined ? undefined : String(headers[name]);

const envelopeOf = (headers: IHeaders | undefined): Envelope => {
  const found: Record<string, string | number> = {};
  for (const field of texts) {
    const value = header(headers, headerName(field));
    if (value !== undefined) found[field] = value;
  }
  for (const field of numbers) {
    const value = header(headers, headerName(field));
    if (value !== undefined) found[field] = Number(value);
  }
  return found;
};

const parsed = (value: Buffer | null): object | undefined => {
  try {
    const data: unknown = JSON.parse(String(value));
    return typeof data === 'object' && data !== null ? data : undefined;
  } catch {
    return undefined;
  }
};

/** `place`: names a record that has no id. What is no message of ours is given as its bytes, with the reason. */
export const received = ({ key, value, headers }: KafkaMessage, place: string): Received => {
  const data = parsed(value);
  const id = header(headers, 'message-id');
  const attachment = headers?.['attachment'];
  const base = {
    id: id ?? place,
    type: header(headers, 'message-type') ?? '',
    key: String(key ?? ''),
    correlationId: header(headers, 'correlation-id') ?? place,
    causationId: header(headers, 'causation-id') ?? place,
  };
  const envelope = envelopeOf(headers);
  if (data === undefined || id === undefined) {
    const unreadable = id === undefined ? 'it has no message-id' : 'its value is no JSON object';
    return { message: { ...base, data: {}, ...(value === null ? {} : { attachment: value }) }, envelope, unreadable };
  }
  return { message: { ...base, data, ...(Buffer.isBuffer(attachment) ? { attachment } : {}) }, envelope };
};

/** About what the record takes on the wire. */
export const sizeOf = ({ value, headers }: Pick<KafkaRecord, 'value' | 'headers'>): number => {
  const attachment = headers?.['attachment'];
  return 512 + Buffer.byteLength(value ?? '') + (Buffer.isBuffer(attachment) ? attachment.length : 0);
};
