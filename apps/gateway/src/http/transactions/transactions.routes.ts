import { choice, choiceOr, cursor, date, fieldNames, limit, uuid } from '@causeway/http';
import {
  fieldNamesOf,
  transactionFields,
  transactionRails,
  transactionSorts,
  transactionStatuses,
} from '@causeway/read-models';
import { route } from '../edge/route.ts';

const listFields = fieldNames(fieldNamesOf(transactionFields, 'list'));

export const listTransactions = route({
  method: 'GET',
  path: '/v1/transactions',
  scope: 'transactions:read',
  query: {
    cursor,
    limit: limit(100, 500),
    sort: choiceOr(transactionSorts, '-postedDate'),
    fields: listFields,
    accountId: uuid,
    connectionId: uuid,
    entityId: uuid,
    status: choice(transactionStatuses),
    rail: choice(transactionRails),
    postedDateGte: date,
    postedDateLt: date,
  },
});

export const syncTransactions = route({
  method: 'GET',
  path: '/v1/transactions/sync',
  scope: 'transactions:read',
  query: { cursor, limit: limit(100, 500), fields: listFields, accountId: uuid, connectionId: uuid },
});

export const getTransaction = route({
  method: 'GET',
  path: '/v1/transactions/:id',
  scope: 'transactions:read',
  target: 'transaction',
  query: { fields: fieldNames(fieldNamesOf(transactionFields, 'single')) },
});
