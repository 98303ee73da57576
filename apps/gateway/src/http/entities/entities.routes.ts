import { cursor, limit, text } from '@causeway/http';
import { route } from '../edge/route.ts';
import { CreateEntityBody, externalEntityIdLengthMax } from './entity.body.ts';

export const createEntityRoute = route({
  method: 'POST',
  path: '/v1/entities',
  scope: 'entities:write',
  query: {},
  body: CreateEntityBody,
  bodyBytesMax: 128 * 1024,
});

export const listEntities = route({
  method: 'GET',
  path: '/v1/entities',
  scope: 'entities:read',
  query: { cursor, limit: limit(100, 500), externalEntityId: text(externalEntityIdLengthMax) },
});

export const getEntity = route({
  method: 'GET',
  path: '/v1/entities/:id',
  scope: 'entities:read',
  target: 'entity',
  query: {},
});
