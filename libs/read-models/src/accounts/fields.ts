import type { Field } from '../field.ts';

/** The members of an account, in the order of the responses. */
export const accountFields: readonly Field[] = [
  { name: 'id', type: 'uuid', identifier: true },
  { name: 'connectionId', type: 'uuid', identifier: true },
  { name: 'type', type: 'text' },
  { name: 'currency', type: 'text' },
  { name: 'name', type: 'text' },
  { name: 'status', type: 'text' },
  { name: 'createdAt', type: 'millis' },
  { name: 'updatedAt', type: 'millis' },
  { name: 'officialName', type: 'text', nullable: true },
  { name: 'maskedNumber', type: 'text', nullable: true },
  { name: 'accountNumber', type: 'text', nullable: true },
  { name: 'routingNumber', type: 'text', nullable: true },
  { name: 'swiftBic', type: 'text', nullable: true },
  // No connector tells more of an account than the members above, and nothing sets metadata on it.
  { name: 'paymentIdentifiers', type: 'json', derived: "'[]'::json", listOnly: true, schema: { type: 'array' } },
  { name: 'currentBalance', type: 'decimal', nullable: true },
  { name: 'availableBalance', type: 'decimal', nullable: true },
  { name: 'balanceAsOf', type: 'millis', nullable: true },
  { name: 'metadata', type: 'json', derived: "'{}'::json", schema: { type: 'object' } },
];
