import { apiScopes } from '@causeway/domain/gateway';
import type { JsonSchema, Shape } from '@causeway/http';
import type { AnswerShape } from '../edge/operation.ts';
import type { Operation } from '../edge/operations.ts';
import { errorSchema, refusalsOf, requestIdHeader } from './errors.ts';
import { webhookEvents } from './events.ts';
import { parametersOf, schemaIn, shapeSchema, type Components } from './shapes.ts';

type Plain = Readonly<Record<string, unknown>>;
type Named = Readonly<Record<string, JsonSchema>>;
export type Document = Readonly<{
  openapi: string;
  paths: Readonly<Record<string, Readonly<Record<string, Plain>>>>;
  components: Readonly<{ schemas: Named; responses: Named; securitySchemes: Named }>;
}> &
  Plain;

const text = { type: 'string' };

const pageSchema = (items: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['data', 'pagination', 'meta'],
  properties: {
    data: { type: 'array', items },
    pagination: {
      type: 'object',
      required: ['hasMore', 'nextCursor'],
      properties: { hasMore: { type: 'boolean' }, nextCursor: { type: ['string', 'null'] } },
    },
    meta: { type: 'object', required: ['requestId'], properties: { requestId: text } },
  },
});

const schemaOfAnswer = (shape: AnswerShape, components: Components): JsonSchema => {
  if (typeof shape === 'function') return shapeSchema(shape, components);
  const { pageOf } = shape as { pageOf?: Shape | JsonSchema };
  if (pageOf !== undefined) return pageSchema(schemaOfAnswer(pageOf, components));
  return schemaIn(shape, components);
};

/** Ids are UUIDs but those of institutions and events. */
const pathParameter = (name: string): JsonSchema => {
  const isUuid = name.endsWith('Id') && !['institutionId', 'eventId'].includes(name);
  return { name, in: 'path', required: true, schema: isUuid ? { type: 'string', format: 'uuid' } : text };
};

const headerParameters: Readonly<Record<string, JsonSchema>> = {
  'idempotency-key': {
    ...{ name: 'Idempotency-Key', in: 'header', required: false },
    description: 'Names the request for good: the same again is answered with what it made.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
  },
};

const parameters = ({ path, query, headers }: Operation): readonly JsonSchema[] => [
  ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name)),
  ...(query === null ? [] : parametersOf(query)),
  ...headers.map((name) => headerParameters[name]).filter((header) => header !== undefined),
];

const replayedHeader = {
  'Idempotent-Replayed': {
    schema: { const: 'true' },
    description: 'The key named a request before: nothing new was made.',
  },
};

const successes = ({ answer, contentType, headers: asksFor }: Operation, components: Components): Plain => {
  const { shape, statuses } = answer;
  const content = shape === null ? {} : { content: { [contentType]: { schema: schemaOfAnswer(shape, components) } } };
  const headers = { ...requestIdHeader, ...(asksFor.includes('idempotency-key') && replayedHeader) };
  return Object.fromEntries(statuses.map((status) => [status, { description: answer.summary, headers, ...content }]));
};

const bodyOf = ({ body, bodyType }: Operation, components: Components): Plain =>
  body === null
    ? {}
    : { requestBody: { required: true, content: { [bodyType]: { schema: shapeSchema(body, components) } } } };

const operationOf = (operation: Operation, components: Components): Plain => ({
  operationId: operation.id,
  summary: operation.answer.summary,
  tags: [operation.tag],
  ...(operation.scope === null
    ? { security: [] }
    : { security: [{ apiKey: [] }, { oauth2: [operation.scope] }], 'x-required-scope': operation.scope }),
  parameters: parameters(operation),
  ...bodyOf(operation, components),
  responses: { ...successes(operation, components), ...refusalsOf(operation, components) },
});

const documentedPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

const pathsOf = (operations: readonly Operation[], components: Components) => {
  const paths: Record<string, Record<string, Plain>> = {};
  for (const operation of operations) {
    const path = documentedPath(operation.path);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationOf(operation, components) };
  }
  return paths;
};

const securitySchemes = {
  apiKey: { type: 'http', scheme: 'bearer', description: '`svc_<environment>_<key id>_<secret>`' },
  oauth2: {
    type: 'oauth2',
    flows: {
      clientCredentials: {
        tokenUrl: '/oauth/token',
        scopes: Object.fromEntries(apiScopes.map((scope) => [scope, `What needs ${scope}.`])),
      },
    },
  },
};

const byName = (named: ReadonlyMap<string, JsonSchema>): Named =>
  Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));

/** The OpenAPI document of everything served, folded from what the controllers declare. */
export const openApiDocument = (served: readonly Operation[]): Document => {
  const operations = served.filter(({ isListed }) => isListed);
  const components: Components = { schemas: new Map([['Error', errorSchema]]), responses: new Map() };
  const paths = pathsOf(operations, components);
  const webhooks = webhookEvents();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Causeway',
      version: '0.5.0',
      description: 'Direct bank connections: accounts, transactions, balances and payments behind one interface.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks,
    components: { securitySchemes, schemas: byName(components.schemas), responses: byName(components.responses) },
  };
};
