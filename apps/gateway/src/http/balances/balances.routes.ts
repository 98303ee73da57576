import { cursor, date, dateTime, limit, uuid } from '@causeway/http';
import { route } from '../edge/route.ts';

export const listBalances = route({
  method: 'GET',
  path: '/v1/balances',
  scope: 'accounts:read',
  query: {
    cursor,
    limit: limit(100, 500),
    dateGte: date,
    dateLt: date,
    updatedAtGte: dateTime,
    accountId: uuid,
    connectionId: uuid,
    entityId: uuid,
  },
});
