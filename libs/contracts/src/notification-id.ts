import { createHash } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 26;

/**
 * `evt_` + 26 characters, 130 bits. Derived from the message that caused the notification: the message delivered twice
 * makes one notification, two messages never make the same one.
 */
export const notificationId = (messageId: string, type: string): string => {
  const digest = createHash('sha256').update(`${type} ${messageId}`).digest('hex');
  let bits = BigInt(`0x${digest}`);
  let text = '';
  for (let i = 0; i < length; i++) {
    text += alphabet[Number(bits & 31n)];
    bits >>= 5n;
  }
  return `evt_${text}`;
};
