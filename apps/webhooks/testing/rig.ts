import { eventually } from '@causeway/messaging/testing';
import { migrate, serviceSchemaMigrations, type Pool } from '@causeway/postgres';
import { readModelsMigrations } from '@causeway/projections';
import { readModelsSchema } from '@causeway/read-models';
import { testDatabase, type TestDatabase } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { notify } from '../src/reactions/deliveries/notify.ts';
import type { EndpointResult } from '../src/reactions/deliveries/results.ts';
import { openSender, type Sender } from '../src/reactions/deliveries/send.ts';
import { deliveryMigrations } from '../src/reactions/deliveries/tables.ts';
import { startDeliveries, type Deliveries } from '../src/reactions/deliveries/worker.ts';

export const timeoutMs = 500;
export const causes = { correlationId: 'request-1', eventId: '0190b3a0-0000-7000-8000-000000000009' };
export const scope = { organization: 'demo', environment: 'test' } as const;
export const createdAt = '2026-03-01T10:00:00.000Z';
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

type Got = Readonly<{ id: string; attempt: string; body: string; at: number }>;
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export const endAs =
  (status: number, headers = {}): Answer =>
  (_, response) =>
    void response.writeHead(status, headers).end();
export const hang: Answer = () => undefined;

/** A receiver that notes what it gets and answers 200, or what `answers` says for the first part of the path. */
const startReceiver = async (got: Got[], answers: Map<string, Answer>) => {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { url = '', headers } = request;
      const [id, attempt] = [String(headers['service-event-id']), String(headers['service-attempt'])];
      got.push({ id, attempt, body, at: performance.now() });
      const answer = answers.get(url.split('/')[1] ?? '') ?? endAs(200);
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
};

/** A database with endpoints, a receiver behind all of them, and workers. Cleans up after each test. */
export const deliveryRig = () => {
  const got: Got[] = [];
  const answers = new Map<string, Answer>();
  const judged: EndpointResult[] = [];
  const faults: unknown[] = [];
  const workers: Deliveries[] = [];
  let database: TestDatabase;
  let sender: Sender;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let told = 0;

  beforeAll(async () => {
    database = await testDatabase();
    const tables = [...serviceSchemaMigrations('webhooks', 'causeway_webhooks'), ...deliveryMigrations];
    await migrate(database.url, readModelsSchema, readModelsMigrations);
    await migrate(database.url, 'webhooks', tables);
    receiver = await startReceiver(got, answers);
  });
  beforeEach(async () => {
    await database.pool.query('TRUNCATE webhooks.endpoint, webhooks.notification CASCADE');
    sender = openSender({ allowed: new Set([`127.0.0.1 ${receiver.port}`]), resolve: async () => [], timeoutMs });
    for (const list of [got, judged, faults, workers]) list.length = 0;
    answers.clear();
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await sender.close();
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    receiver.close();
    await database.drop();
  });

  const pool = (): Pool => database.pool;
  const rowsOf = async (sql: string) => (await pool().query<Record<string, unknown>>(sql)).rows;
  return {
    got,
    answers,
    judged,
    pool,
    url: () => database.url,
    port: () => receiver.port,
    endpoint: async (path: string): Promise<string> => {
      const id = randomUUID();
      await pool().query(
        `INSERT INTO webhooks.endpoint
           (id, organization, environment, url, events, sealed_secret, active, registered_at, revision)
         VALUES ($1, 'demo', 'test', $2, '{test}', '', true, $3, 0)`,
        [id, `http://127.0.0.1:${receiver.port}/${path}`, createdAt],
      );
      return id;
    },
    tell: (endpointId: string, subject = 'c-1', id = `evt_${++told}`): Promise<number> =>
      notify(pool(), { id, type: 'test', createdAt, data: { subject }, ...causes, ...scope, subject, endpointId }),
    /** Deliveries of as many subjects, due since a minute. */
    backlog: async (endpointId: string, deliveries: number): Promise<void> => {
      await pool().query(
        `WITH told AS (
           INSERT INTO webhooks.notification (id, type, body, created_at)
           SELECT 'evt_' || gen_random_uuid(), 'test', '{}', now() FROM generate_series(1, $2) RETURNING id
         )
         INSERT INTO webhooks.delivery (notification_id, endpoint_id, subject, created_at, next_attempt_at)
         SELECT id, $1, id, now(), now() - interval '1 minute' FROM told`,
        [endpointId, deliveries],
      );
    },
    start: (pausesMs: readonly number[] = [50, 50]): Deliveries => {
      const worker = startDeliveries({
        pool: pool(),
        send: sender.send,
        pausesMs,
        unseal: async () => secret,
        judge: async (result) => void judged.push(result),
        onFault: (error) => faults.push(error),
      });
      workers.push(worker);
      return worker;
    },
    attempts: () => rowsOf('SELECT number, status_code, error FROM webhooks.attempt ORDER BY delivery_id, number'),
    untilStates: (...states: (readonly [status: string, attempts: number])[]): Promise<void> =>
      eventually(async () => {
        const rows = await rowsOf('SELECT status, attempts FROM webhooks.delivery ORDER BY id');
        expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual(states);
      }),
  };
};
