import { choice, cursor, limit, text, uuid } from '@causeway/http';
import { connectionStatuses } from '@causeway/read-models';
import { route } from '../edge/route.ts';
import { CreateConnectionBody } from './connection.body.ts';

export const createConnectionRoute = route({
  method: 'POST',
  path: '/v1/connections',
  scope: 'connections:write',
  query: {},
  body: CreateConnectionBody,
  bodyBytesMax: 16 * 1024,
});

export const listConnections = route({
  method: 'GET',
  path: '/v1/connections',
  scope: 'connections:read',
  query: {
    cursor,
    limit: limit(100, 500),
    status: choice(connectionStatuses),
    institutionId: text(100),
    entityId: uuid,
  },
});

export const getConnection = route({
  method: 'GET',
  path: '/v1/connections/:id',
  scope: 'connections:read',
  target: 'connection',
  query: {},
});

export const syncConnectionRoute = route({
  method: 'PUT',
  path: '/v1/connections/:id/sync',
  scope: 'connections:write',
  target: 'connection',
  query: {},
});

export const deleteConnectionRoute = route({
  method: 'DELETE',
  path: '/v1/connections/:id',
  scope: 'connections:write',
  target: 'connection',
  query: {},
});
