import { Ajv } from 'ajv';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as contracts from './index.ts';
import { asyncApi, type AsyncApi } from './testing/asyncapi.ts';
import { breakingChanges } from './testing/breaking.ts';
import type { Plain } from './testing/schemas.ts';
import { readDocument } from './testing/write-asyncapi.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const published = readDocument(root);

describe('the document of what crosses the bus', () => {
  let current: AsyncApi;
  beforeAll(() => {
    current = asyncApi(root);
  });

  test('breaks no version that was published', () => {
    expect(breakingChanges(published, current)).toEqual([]);
  });

  test('is up to date: npm run asyncapi', () => {
    expect(JSON.parse(JSON.stringify(current))).toEqual(published);
  });

  test('is AsyncAPI 3', () => {
    const schema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0.json') as object;
    // The schema brings the draft of JSON schema that it is written in.
    const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false });
    const validate = ajv.compile(schema);
    validate(current);
    expect(validate.errors).toBeNull();
  });

  test('names every message that there is, and with it its version', () => {
    const types = Object.values(contracts).flatMap((value) =>
      typeof value === 'object' && 'keyOf' in value ? [value.type] : [],
    );
    expect(types.length).toBeGreaterThan(10);
    expect(Object.keys(current.operations).sort()).toEqual([...types].sort());
    expect(types.filter((type) => !/^[a-z]+\.[a-z-]+\.v\d+$/.test(type))).toEqual([]);
  });

  test('knows of each message what is in it', () => {
    for (const { name, payload } of Object.values(current.components.messages)) {
      expect([name, payload.type]).toEqual([name, 'object']);
      expect(Object.keys(payload.properties ?? {})).not.toEqual([]);
    }
    expect(current.components.messages['connections.statement-part.v1']?.payload).toMatchObject({
      required: expect.arrayContaining(['organization', 'environment', 'accountId', 'parts']) as string[],
      properties: { environment: { enum: ['live', 'test'] }, page: { type: 'integer', minimum: 0 } },
    });
  });

  test.each([
    ['an event', 'connections.sync-fetched.v1', ['message-id', 'message-type', 'correlation-id', 'causation-id']],
    ['an event with an attachment', 'connections.statement-part.v1', ['message-id', 'attachment']],
    [
      'a command',
      'connections.create-entity.v1',
      ['message-id', 'request-id', 'reply-to', 'reply-partition', 'time-left-ms', 'sent-at'],
    ],
    ['a reply', 'connections.create-entity.v1.reply', ['reply-to', 'request-id']],
  ])('knows the headers of %s', (_, name, required) => {
    const headers = headersOf(name);
    expect(headers.required).toEqual(expect.arrayContaining(required));
    expect(Object.keys(headers.properties ?? {})).toEqual(expect.arrayContaining(required));
  });

  test('gives a reply no header of a message, and an attachment to no message that has none', () => {
    const { properties = {} } = headersOf('connections.create-entity.v1.reply');
    expect(Object.keys(properties)).toEqual(['reply-to', 'request-id', 'mac']);
    expect(headersOf('connections.sync-fetched.v1').properties).not.toHaveProperty('attachment');
  });

  test('knows a reply as its record has it: what the handler said, why there is none, or that nothing was begun', () => {
    const { payload } = current.components.messages['connections.create-entity.v1.reply'] ?? {};
    const validate = new Ajv({ strict: false }).compile(payload ?? {});
    const problem = { status: 409, type: 'conflict', message: 'there is one' };
    const answers = [{ reply: { ok: false, problem } }, { failed: 'nobody handles it' }, { notStarted: true }];
    expect(answers.map((answer) => validate(answer))).toEqual([true, true, true]);
    expect([{ ok: false, problem }, {}].map((answer) => validate(answer))).toEqual([false, false]);
    expect(current.channels['causeway.replies']?.address).toBe('causeway.replies');
  });

  const headersOf = (name: string): Plain => {
    const $ref = current.components.messages[name]?.headers.$ref ?? '';
    return current.components.schemas[$ref.slice('#/components/schemas/'.length)] ?? {};
  };
});

describe('a published version', () => {
  const order: Plain = {
    type: 'object',
    required: ['amount', 'kind', 'lines'],
    properties: {
      amount: { type: 'string' },
      memo: { type: ['string', 'null'] },
      kind: { type: 'string', enum: ['a', 'b'] },
      lines: { type: 'array', items: { type: 'object', required: ['n'], properties: { n: { type: 'number' } } } },
      more: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
  const documentOf = (payload: Plain, channel = 'orders', headers: Plain = {}): AsyncApi => ({
    ...published,
    operations: {
      'shop.order.v1': { action: 'send', channel: { $ref: `#/channels/${channel}` }, messages: [] },
    },
    components: {
      schemas: { headers },
      messages: {
        'shop.order.v1': {
          ...{ name: 'shop.order.v1', payload, headers: { $ref: '#/components/schemas/headers' } },
          bindings: { kafka: { key: { type: 'string' } } },
        },
      },
    },
  });
  const withFields = (properties: Record<string, Plain>, required = order.required ?? []): Plain => ({
    ...{ ...order, required },
    properties: { ...order.properties, ...properties },
  });
  const without = (field: string): Plain => ({
    ...order,
    properties: Object.fromEntries(Object.entries(order.properties ?? {}).filter(([name]) => name !== field)),
  });

  test.each<[string, Plain, string]>([
    ['a field taken away', without('memo'), 'memo is gone'],
    ['a field of another type', withFields({ amount: { type: 'number' } }), 'amount was string and is number'],
    ['a field that may now be null', withFields({ amount: { type: ['string', 'null'] } }), 'and is null|string'],
    [
      'a new field that must be there',
      withFields({ due: { type: 'string' } }, ['amount', 'kind', 'lines', 'due']),
      'due',
    ],
    ['a known field that must now be there', withFields({}, ['amount', 'kind', 'lines', 'memo']), 'memo must be there'],
    ['a field that may now be missing', withFields({}, ['kind', 'lines']), 'amount may be missing'],
    ['another format', withFields({ amount: { type: 'string', format: 'uuid' } }), 'amount is of another type'],
    ['a value taken away', withFields({ kind: { type: 'string', enum: ['a'] } }), 'can no longer be b'],
    ['any value where some were named', withFields({ kind: { type: 'string' } }), 'kind is of another type'],
    [
      'a field taken away deep inside',
      withFields({ lines: { type: 'array', items: { type: 'object', required: ['n'], properties: {} } } }),
      'lines[].n is gone',
    ],
    [
      'others of another type',
      withFields({ more: { type: 'object', additionalProperties: { type: 'number' } } }),
      'more holds others of another type',
    ],
  ])('is broken by %s', (_, payload, told) => {
    const found = breakingChanges(documentOf(order), documentOf(payload));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(told);
  });

  const text: Plain = { type: 'string' };
  const headers: Plain = { type: 'object', required: ['id'], properties: { id: text, trace: text } };

  test.each<[string, Plain, readonly string[]]>([
    [
      'a header that must be there and goes',
      { ...headers, required: [], properties: { trace: text } },
      ['shop.order.v1 header.id is gone'],
    ],
    ['a header that may now be missing', { ...headers, required: [] }, ['shop.order.v1 header.id may be missing']],
    [
      'a new header that must be there',
      { ...headers, required: ['id', 'at'], properties: { ...headers.properties, at: text } },
      ['shop.order.v1 header.at must be there'],
    ],
  ])('is broken by %s', (_, changed, told) => {
    expect(breakingChanges(documentOf(order, 'orders', headers), documentOf(order, 'orders', changed))).toEqual(told);
  });

  test('may grow by a header that need not be there', () => {
    const grown = { ...headers, properties: { ...headers.properties, at: text } };
    expect(breakingChanges(documentOf(order, 'orders', headers), documentOf(order, 'orders', grown))).toEqual([]);
  });

  test('is broken when it is renamed or taken away', () => {
    const gone = { ...documentOf(order), components: { schemas: {}, messages: {} } };
    expect(breakingChanges(documentOf(order), gone)).toEqual(['shop.order.v1 is gone']);
  });

  test('is broken by another topic: who reads the old one hears no more of it', () => {
    expect(breakingChanges(documentOf(order), documentOf(order, 'sales'))).toEqual([
      'shop.order.v1 is on another topic',
    ]);
  });

  test.each<[string, Plain]>([
    ['a field that need not be there', withFields({ due: { type: 'string' } })],
    ['another value', withFields({ kind: { type: 'string', enum: ['a', 'b', 'c'] } })],
    ['other words about a field', withFields({ amount: { type: 'string', description: 'In euros.' } })],
  ])('may grow by %s', (_, payload) => {
    expect(breakingChanges(documentOf(order), documentOf(payload))).toEqual([]);
  });
});
