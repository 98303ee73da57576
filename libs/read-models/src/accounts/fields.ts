import type { Field } from '../field.ts';
import { accountStatuses, accountTypes } from './values.ts';
import { paymentIdentifiers } from './payment-identifiers.ts';

/** The members of an account, in the order of the responses. */
export const accountFields: readonly Field[] = [
  { name: 'id', type: 'uuid', identifier: true },
  { name: 'connectionId', type: 'uuid', identifier: true },
  { name: 'type', type: 'text', values: accountTypes },
  { name: 'currency', type: 'text' },
  { name: 'name', type: 'text' },
  { name: 'status', type: 'text', values: accountStatuses },
  { name: 'createdAt', type: 'millis' },
  { name: 'updatedAt', type: 'millis' },
  { name: 'officialName', type: 'text', nullable: true },
  { name: 'maskedNumber', type: 'text', nullable: true },
  { name: 'accountNumber', type: 'text', nullable: true },
  { name: 'routingNumber', type: 'text', nullable: true },
  { name: 'swiftBic', type: 'text', nullable: true },
  {
    ...{ name: 'paymentIdentifiers', type: 'json', derived: paymentIdentifiers, listOnly: true },
    schema: {
      type: 'array',
      items: {
        type: 'object',
        required: ['scheme', 'countryCode', 'currency', 'details'],
        properties: {
          ...{ scheme: { type: 'string' }, countryCode: { type: 'string' }, currency: { type: 'string' } },
          details: { type: 'object' },
        },
      },
    },
  },
  { name: 'currentBalance', type: 'decimal', nullable: true },
  { name: 'availableBalance', type: 'decimal', nullable: true },
  { name: 'balanceAsOf', type: 'millis', nullable: true },
  // Nothing sets metadata on an account.
  { name: 'metadata', type: 'json', derived: "'{}'::json", schema: { type: 'object' } },
];
