import type { Secret, SecretRing } from '@causeway/settings';
import type { IHeaders, KafkaMessage, Message as KafkaRecord } from 'kafkajs';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `<id of the secret>:<HMAC-SHA256 in base64url>` */
const header = 'mac';

/** Each with its length before it, so that no two records read the same. What is absent is told from what is empty. */
const update = (mac: ReturnType<typeof createHmac>, part: Buffer | string | null): void => {
  const bytes = part === null ? null : Buffer.from(part);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes?.length ?? -1);
  mac.update(length);
  if (bytes !== null) mac.update(bytes);
};

type Sealed = Readonly<{ key?: Buffer | string | null; value: Buffer | string | null; headers?: IHeaders }>;

/** Over the topic, the key, every header and the value. A header that stands twice is none of ours: undefined. */
const macOf = ({ key }: Secret, topic: string, record: Sealed): Buffer | undefined => {
  const headers = Object.entries(record.headers ?? {}).filter(([name]) => name !== header);
  headers.sort(([a], [b]) => (a < b ? -1 : 1));
  const mac = createHmac('sha256', key);
  for (const part of [topic, record.key ?? null, record.value]) update(mac, part);
  for (const [name, value] of headers) {
    if (value === undefined || Array.isArray(value)) return undefined;
    update(mac, name);
    update(mac, value);
  }
  return mac.digest();
};

const written = ({ id }: Secret, mac: Buffer): string => `${id}:${mac.toString('base64url')}`;

/** The record as one of ours: whoever holds none of the secrets can neither make nor alter one, nor send it elsewhere. */
export const signed = ([secret]: SecretRing, topic: string, record: KafkaRecord): KafkaRecord => {
  const mac = macOf(secret, topic, record);
  if (mac === undefined) throw new Error('a header of ours stands twice, or is absent');
  return { ...record, headers: { ...record.headers, [header]: written(secret, mac) } };
};

export const isAuthentic = (secrets: SecretRing, topic: string, record: KafkaMessage): boolean => {
  const told = record.headers?.[header];
  if (told === undefined || Array.isArray(told)) return false;
  const [id] = String(told).split(':', 1);
  const secret = secrets.find((other) => other.id === id);
  const mac = secret && macOf(secret, topic, record);
  if (secret === undefined || mac === undefined) return false;
  // As it is written: several texts may decode to the same bytes.
  const [claimed, right] = [Buffer.from(told), Buffer.from(written(secret, mac))];
  return claimed.length === right.length && timingSafeEqual(claimed, right);
};
