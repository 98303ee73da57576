import {
  messageOf,
  oneTimeKey,
  registerWebhook,
  syncCompleted,
  webhooksCommands,
  type CommandContract,
  type Environment,
} from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { inProcessBroker, type InProcessBroker } from '@causeway/messaging-in-process';
import { messageServer } from '@causeway/messaging-nest';
import { testDatabase, type TestDatabase } from '@causeway/testing';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhooksConfig } from '../src/config.ts';
import { migrateWebhooks } from '../src/migrations.ts';
import { WebhooksModule, webhooksTopics } from '../src/webhooks.module.ts';

export const scope = { organization: 'demo', environment: 'test' } as const;
export const connectionId = '0190b3a0-0000-7000-8000-00000000000c';

export type Got = Readonly<{ path: string; headers: Readonly<Record<string, string>>; body: string }>;
type Running = Readonly<{ broker: InProcessBroker; app: INestMicroservice }>;

const startService = async (config: WebhooksConfig): Promise<Running> => {
  const broker = inProcessBroker({ deadLetters: { add: async () => undefined } });
  const strategy = messageServer(broker, { group: 'webhooks', topics: webhooksTopics });
  const app = await NestFactory.createMicroservice(WebhooksModule.register(config), { strategy, logger: false });
  await app.listen();
  broker.open();
  return { broker, app };
};

const stopService = async ({ broker, app }: Running): Promise<void> => {
  await broker.close();
  await app.close();
};

/** The service on a database of its own, and a receiver that answers 200, or what `statuses` says of a path. */
export const serviceUnderTest = () => {
  const got: Got[] = [];
  const statuses: Record<string, number> = {};
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const path = request.url ?? '';
      got.push({ path, headers: request.headers as Got['headers'], body });
      response.writeHead(statuses[path] ?? 200).end();
    });
  });
  let database: TestDatabase;
  let config: WebhooksConfig;
  let running: Running;
  let base = '';

  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    base = `http://${host}`;
    database = await testDatabase();
    config = {
      databaseUrl: database.url,
      masterKeys: [{ id: '1', key: randomBytes(32) }],
      eventStore: { kind: 'postgres' },
      allowedHosts: [host],
      deliveryTimeoutMs: 1000,
      retryPausesMs: [50, 50],
      webhooksMax: 0,
      logLevel: 'silent',
    };
    await Promise.all([migrateWebhooks(config), migrateWebhooks(config)]);
    running = await startService(config);
  });
  beforeEach(() => void (got.length = 0));
  afterAll(async () => {
    await stopService(running);
    receiver.close();
    await database.drop();
  });

  const causes = () => ({ id: randomUUID(), correlationId: 'req-1', causationId: 'req-1' });
  const ask = <C extends object, R extends object>(contract: CommandContract<C, R>, command: C): Promise<Reply<R>> =>
    running.broker.request<R>(webhooksCommands, messageOf(contract, command, causes()), 60_000);
  const dataOf = async <C extends object, R extends object>(
    contract: CommandContract<C, R>,
    command: C,
  ): Promise<R> => {
    const reply = await ask(contract, command);
    if (!reply.ok) throw new Error(reply.problem.message);
    return reply.data;
  };
  return {
    ...{ got, statuses, ask, dataOf },
    database: () => database,
    base: () => base,
    running: () => running,
    stop: () => stopService(running),
    start: async () => void (running = await startService(config)),
    gotAt: (path: string) => got.filter((request) => request.path === path),
    rows: async () => (await database.pool.query<object>('SELECT * FROM read_models.webhooks_v1')).rows,
    register: async (path: string, whose: Readonly<{ organization: string; environment: Environment }> = scope) => {
      const events = ['transactions.sync_available', 'test'] as const;
      const { publicKey: sealTo, open } = await oneTimeKey();
      const command = { ...whose, url: base + path, events, metadata: null, sealTo };
      const { webhook, sealedSecret } = await dataOf(registerWebhook, command);
      return { webhook, secret: await open(sealedSecret) };
    },
    /** A sync that ended with so many changes. */
    completed: (changes: number, of = connectionId): Message => {
      const data = { ...scope, entityId: randomUUID(), connectionId: of, runId: randomUUID(), changes };
      return messageOf(syncCompleted, { ...data, completedAt: new Date().toISOString() }, causes());
    },
  };
};
