import type { Plain } from './schemas.ts';

const text = (description: string): Plain => ({ type: 'string', description });

const always = {
  'message-id': text('The same each time the message is delivered.'),
  'message-type': text('The name of the message, version included.'),
  'correlation-id': text('The request that it all began with.'),
  'causation-id': text('The message or event that led to this one.'),
};

const trace = { traceparent: text('W3C trace context, made of the two before.') };

/** Only on what `causeway dead-letters retry` sends again. */
const again = {
  letter: text('Sent again from the dead letters: the id of the letter.'),
  'only-group': text('Sent again: the one group that it is for.'),
  'attempts-before': text('Sent again: how often it was tried before, in digits.'),
  'first-failed-at': text('Sent again: when it failed first, ISO 8601.'),
};

const attachment: Plain = { type: 'string', format: 'binary', description: 'Bytes as they are, always in cipher.' };

const asked = {
  'request-id': text('The id of this asking; the reply carries it.'),
  'reply-to': text('The process that waits for the reply.'),
  'reply-partition': text('The partition of the replies that it reads, in digits.'),
  'time-left-ms': text('How long it still waited when this was sent, in digits.'),
  'sent-at': text('When that was by the brokers’ clock: milliseconds since 1970, in digits.'),
};

const answered = {
  'reply-to': text('The process that asked; the others pass over it.'),
  'request-id': text('The request that this answers. `ping` is a word of a process to itself.'),
};

type Fields = Readonly<Record<string, Plain>>;

const mac = {
  mac: text('Who made it: the id of the secret and the HMAC-SHA256 of the record under it, in base64url.'),
};

const headers = (required: Fields, optional: Fields = {}): Plain => ({
  type: 'object',
  required: Object.keys({ ...required, ...mac }),
  properties: { ...required, ...mac, ...optional },
});

/** What records carry beside their value, as `libs/messaging-kafka/src/records.ts` writes it. */
export const headerSchemas = {
  eventHeaders: headers(always, { ...trace, ...again }),
  attachmentHeaders: headers({ ...always, attachment }, { ...trace, ...again }),
  commandHeaders: headers({ ...always, ...asked }, trace),
  replyHeaders: headers(answered),
} satisfies Readonly<Record<string, Plain>>;

export type Headers = keyof typeof headerSchemas;
