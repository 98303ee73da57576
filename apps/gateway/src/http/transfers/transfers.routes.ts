import { choice, cursor, dateTime, fieldNames, limit, uuid } from '@causeway/http';
import { transferStatuses } from '@causeway/read-models';
import { route } from '../edge/route.ts';
import { CreateTransferBody } from './transfer.body.ts';
import { singleTransferFields } from './transfer.response.ts';

export const createTransferRoute = route({
  method: 'POST',
  path: '/v1/transfers',
  scope: 'transfers:write',
  query: {},
  body: CreateTransferBody,
  bodyBytesMax: 32 * 1024,
});

export const listTransfers = route({
  method: 'GET',
  path: '/v1/transfers',
  scope: 'transfers:read',
  query: {
    cursor,
    limit: limit(50, 100),
    status: choice(transferStatuses),
    accountId: uuid,
    createdAtGte: dateTime,
    createdAtLt: dateTime,
  },
});

export const getTransfer = route({
  method: 'GET',
  path: '/v1/transfers/:id',
  scope: 'transfers:read',
  target: 'transfer',
  query: { fields: fieldNames(singleTransferFields) },
});
