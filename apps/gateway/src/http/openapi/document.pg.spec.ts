import { describeWithPostgres } from '@causeway/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingChanges, servedDocument } from '../../../testing/openapi.ts';
import type { GatewayUnderTest } from '../../../testing/gateway-under-test.ts';
import { startOwnedGateway } from '../../../testing/owner.ts';
import type { Document } from './document.ts';

const file = join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'openapi.json');
const published = JSON.parse(readFileSync(file, 'utf8')) as Document;

describe('the document of the interface', () => {
  test('breaks no client of the published one', () => {
    expect(breakingChanges(published, servedDocument())).toEqual([]);
  });

  test('is up to date: npm run openapi', () => {
    expect(servedDocument()).toEqual(published);
  });

  test('is OpenAPI 3.1', async () => {
    expect(await new Validator().validate({ ...published })).toEqual({ valid: true });
  });

  test('gives each operation a name of its own, a summary, and of each error an example', () => {
    const operations = Object.values(published.paths).flatMap((methods) => Object.values(methods));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations.every(({ summary }) => String(summary).endsWith('.'))).toBe(true);
  });
});

/** Of a document with one route. */
const withRoute = (operation: object): Document => ({
  ...published,
  paths: { '/v1/things': { get: { responses: {}, ...operation } } },
});
const answering = (schema: object) => withRoute({ responses: { 200: { content: { json: { schema } } } } });
const taking = (schema: object) => withRoute({ requestBody: { content: { json: { schema } } } });
const text = { type: 'string' };

test.each([
  ['a route is gone', withRoute({}), { ...published, paths: {} }],
  ['a member of an answer is gone', answering({ properties: { a: text } }), answering({ properties: {} })],
  ['a member of an answer may be missing', answering({ required: ['a'] }), answering({ required: [] })],
  [
    'a member is of another type',
    answering({ properties: { a: text } }),
    answering({ properties: { a: { type: 'null' } } }),
  ],
  ['an element is of another type', answering({ items: text }), answering({ items: { type: 'null' } })],
  ['a status is gone', answering({}), withRoute({})],
  ['a member of a body must be there', taking({ required: [] }), taking({ required: ['a'] })],
  ['a value is no longer taken', taking({ enum: ['a', 'b'] }), taking({ enum: ['a'] })],
  ['a body must be there', withRoute({}), taking({})],
  ['a parameter is gone', withRoute({ parameters: [{ name: 'a', in: 'query', schema: text }] }), withRoute({})],
  [
    'a parameter must be there',
    withRoute({}),
    withRoute({ parameters: [{ name: 'a', in: 'query', required: true, schema: text }] }),
  ],
])('a client breaks where %s', (_, before, after) => {
  expect(breakingChanges(before, after)).toHaveLength(1);
  expect(breakingChanges(before, before)).toEqual([]);
});

test.each([
  ['a route', { ...published, paths: {} }, withRoute({})],
  ['a member of an answer', answering({ properties: {} }), answering({ properties: { a: text }, required: ['a'] })],
  ['a value of an answer', answering({ enum: ['a'] }), answering({ enum: ['a', 'b'] })],
  ['a member of a body that may be left out', taking({ properties: {} }), taking({ properties: { a: text } })],
])('a client stays whole where %s is added', (_, before, after) => {
  expect(breakingChanges(before, after)).toEqual([]);
});

describeWithPostgres('what is served', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startOwnedGateway();
  });
  afterAll(() => gateway.close());

  test('is what is documented, and nothing else', () => {
    const documented = Object.entries(published.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const unlisted = ['GET /docs/{part}'];
    expect(gateway.routes.toSorted()).toEqual([...documented, ...unlisted].toSorted());
  });

  test('is told to anyone', async () => {
    const { status, body } = await gateway.send('GET', '/openapi.json', { key: '' });
    expect([status, body]).toEqual([200, published]);
  });
});
