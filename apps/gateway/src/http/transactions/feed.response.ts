import type { JsonSchema } from '@causeway/http';
import { transactionFields } from '@causeway/read-models';
import { schemaOfFields } from '../openapi/fields.ts';

type Events = Readonly<{ data: string; hasMore: boolean }>;

export const feedText = ({ data, hasMore }: Events, nextCursor: string, requestId: string): string =>
  `{"events":[${data}],"nextCursor":"${nextCursor}","hasMore":${hasMore},"meta":${JSON.stringify({ requestId })}}`;

const text = { type: 'string' };

export const feedSchema: JsonSchema = {
  title: 'TransactionFeed',
  type: 'object',
  required: ['events', 'nextCursor', 'hasMore', 'meta'],
  properties: {
    events: {
      type: 'array',
      items: {
        title: 'TransactionEvent',
        type: 'object',
        required: ['eventId', 'eventAt', 'type', 'transaction'],
        properties: {
          eventId: { type: 'string', format: 'uuid' },
          eventAt: { type: 'string', format: 'date-time' },
          type: { type: 'string', enum: ['added', 'modified', 'removed'] },
          // Of a removed one the ids and `updatedAt` are all that is left.
          transaction: schemaOfFields('Transaction', transactionFields, 'list', ['id', 'connectionId', 'accountId']),
        },
      },
    },
    nextCursor: text,
    hasMore: { type: 'boolean' },
    meta: { type: 'object', required: ['requestId'], properties: { requestId: text } },
  },
};
