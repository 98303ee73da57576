/**
 * The services, and the secrets that each uses: no other process has these in its environment. A new service is an entry
 * here; what does not compile or is not green then says what else it needs.
 */
export const secretsOf = {
  gateway: ['CAUSEWAY_API_KEY_SECRET', 'CAUSEWAY_CURSOR_SECRET', 'CAUSEWAY_TOKEN_KEYS', 'CAUSEWAY_BUS_SECRET'],
  connections: ['CAUSEWAY_MASTER_KEY', 'CAUSEWAY_RESERVATION_SECRET', 'CAUSEWAY_SEALING_KEYS', 'CAUSEWAY_BUS_SECRET'],
  ledger: ['CAUSEWAY_MASTER_KEY', 'CAUSEWAY_RECEIPT_KEYS', 'CAUSEWAY_BUS_SECRET'],
  transfers: ['CAUSEWAY_MASTER_KEY', 'CAUSEWAY_BUS_SECRET'],
  webhooks: ['CAUSEWAY_MASTER_KEY', 'CAUSEWAY_BUS_SECRET'],
} as const;

export type ServiceName = keyof typeof secretsOf;
export const services = Object.keys(secretsOf) as readonly ServiceName[];

/** Those that nobody outside reaches. */
export type ServiceBehind = Exclude<ServiceName, 'gateway'>;
export const servicesBehind = services.filter((name): name is ServiceBehind => name !== 'gateway');
