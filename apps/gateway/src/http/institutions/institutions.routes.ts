import { cursor, limit, text } from '@causeway/http';
import { route } from '../edge/route.ts';

export const listInstitutions = route({
  method: 'GET',
  path: '/v1/institutions',
  scope: 'connections:read',
  query: { cursor, limit: limit(100, 500), query: text(200) },
});

export const getInstitution = route({
  method: 'GET',
  path: '/v1/institutions/:id',
  scope: 'connections:read',
  target: 'institution',
  query: {},
});
