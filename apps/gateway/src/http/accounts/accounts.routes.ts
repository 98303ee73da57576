import { choice, cursor, fieldNames, limit, pattern, uuid } from '@causeway/http';
import { accountFields, accountStatuses, accountTypes, fieldNamesOf } from '@causeway/read-models';
import { route } from '../edge/route.ts';

export const listAccounts = route({
  method: 'GET',
  path: '/v1/accounts',
  scope: 'accounts:read',
  query: {
    cursor,
    limit: limit(100, 500),
    fields: fieldNames(fieldNamesOf(accountFields, 'list')),
    connectionId: uuid,
    entityId: uuid,
    type: choice(accountTypes),
    currency: pattern(/^[A-Z0-9]{3,12}$/, 'must be a currency or asset code'),
    status: choice(accountStatuses),
  },
});

export const getAccount = route({
  method: 'GET',
  path: '/v1/accounts/:id',
  scope: 'accounts:read',
  target: 'account',
  query: { fields: fieldNames(fieldNamesOf(accountFields, 'single')) },
});
