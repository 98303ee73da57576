import { hash } from 'node:crypto';

const namespaceBytes = 16;

/** The digits of a SHA-1 as a UUID of version 5 (RFC 9562, 5.5): 122 of its bits, with version and variant set. */
const asUuid = (hex: string): string => {
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/**
 * Ids of an account's transactions: UUIDs of version 5 in the connection's namespace. Made for every row of a first
 * sync, so not by the general function, which takes four times as long.
 */
export const transactionIds = (connectionId: string, accountId: string): ((key: string) => string) => {
  const prefix = Buffer.concat([Buffer.from(connectionId.replaceAll('-', ''), 'hex'), Buffer.from(`${accountId}|`)]);
  if (prefix.length !== namespaceBytes + accountId.length + 1) throw new RangeError('the namespace is not a UUID');
  return (key) => asUuid(hash('sha1', Buffer.concat([prefix, Buffer.from(key)]), 'hex'));
};
