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
  { name: 'officialName', type: 'text' },
  { name: 'maskedNumber', type: 'text' },
  { name: 'accountNumber', type: 'text' },
  { name: 'routingNumber', type: 'text' },
  { name: 'swiftBic', type: 'text' },
  // No connector tells more of an account than the members above, and nothing sets metadata on it.
  { name: 'paymentIdentifiers', type: 'json', derived: "'[]'::json", listOnly: true },
  { name: 'currentBalance', type: 'decimal' },
  { name: 'availableBalance', type: 'decimal' },
  { name: 'balanceAsOf', type: 'millis' },
  { name: 'metadata', type: 'json', derived: "'{}'::json" },
];
