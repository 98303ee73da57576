import { createHmac } from 'node:crypto';

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8');

export type Signed = Readonly<{ eventId: string; body: string; secrets: readonly string[]; attempt: number; at: Date }>;

const bytesOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64');

/**
 * The headers of one attempt, with a signature for each secret that holds. `Service-Signature` is keyed with the secret as it is shown, the signature of Standard
 * Webhooks with the bytes it encodes; both are made anew with each attempt's own time.
 */
export const signedHeaders = ({ eventId, body, secrets, attempt, at }: Signed): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const ours = secrets.map((secret) => `v1=${hmac(secret, `${timestamp}.${body}`).digest('hex')}`);
  const standard = secrets.map(
    (secret) => `v1,${hmac(bytesOf(secret), `${eventId}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'user-agent': 'Causeway-Webhooks/1',
    'service-signature': [`t=${timestamp}`, ...ours].join(','),
    'service-event-id': eventId,
    'service-attempt': String(attempt),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.join(' '),
  };
};
