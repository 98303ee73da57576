import { messageOf, type CommandContract, type EventContract } from '@causeway/contracts';
import { postgresDataKeys } from '@causeway/data-keys';
import type { EventStore, Snapshots } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import { postgresSnapshots } from '@causeway/event-stores';
import type { DeadLetter, Reply } from '@causeway/messaging';
import { inProcessBroker } from '@causeway/messaging-in-process';
import { messageServer, MessageFaults } from '@causeway/messaging-nest';
import { newSecret } from '@causeway/settings';
import { startSandboxBank, testDatabase, type SandboxBank, type TestDatabase } from '@causeway/testing';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aggregatesIn } from '../src/commands/aggregates.ts';
import { connectionsConfig, type ConnectionsConfig } from '../src/config.ts';
import { ConnectionsModule, connectionsTopics } from '../src/connections.module.ts';
import { eventsSchema, migrateConnections, schema } from '../src/migrations.ts';
import { startBankRequests } from './bank-requests-under-test.ts';
import {
  countingLedger,
  ledgerUnderTest,
  listener,
  publishAsLedger,
  type LedgerUnderTest,
} from './ledger-under-test.ts';

/** The service on a real database, a real bank and a real bus, with a ledger that counts what it gets. */
export type ServiceUnderTest = LedgerUnderTest &
  Readonly<{
    database: TestDatabase;
    bank: SandboxBank;
    /** Paths that the service asked the bank for, in order, and those that it waits for. */
    asked: string[];
    awaited: ReadonlySet<string>;
    config: ConnectionsConfig;
    deadLetters: DeadLetter[];
    /** `id`: of a command that comes again. */
    request<C extends object, R extends object>(
      contract: CommandContract<C, R>,
      command: C,
      id?: string,
    ): Promise<Reply<R>>;
    /** The ledger says it. */
    say<D extends object>(contract: EventContract<D>, data: D): Promise<void>;
    restart(): Promise<void>;
    /** Another process of the service, with a bus of its own: what is published goes over one of them. */
    addReplica(): Promise<void>;
    stop(): Promise<void>;
  }>;

type Options = Readonly<{
  env?: Record<string, string>;
  bankEnv?: Record<string, string>;
  syncSilenceSeconds?: number;
  unbookedBytesMax?: number;
}>;

export const startService = async ({
  env = {},
  bankEnv = {},
  ...settings
}: Options = {}): Promise<ServiceUnderTest> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-connections-'));
  const [database, bank] = await Promise.all([testDatabase(), startSandboxBank({ dataDir, env: bankEnv })]);
  await leaveEvening(bank);
  const requests = await startBankRequests(bank.url);
  const read = connectionsConfig({
    CAUSEWAY_DATABASE_URL: database.url,
    CAUSEWAY_MASTER_KEY: '00'.repeat(32),
    CAUSEWAY_RESERVATION_SECRET: '01'.repeat(32),
    CAUSEWAY_SEALING_KEYS: newSecret('CAUSEWAY_SEALING_KEYS'),
    CAUSEWAY_SANDBOX_BANK_URL: requests.url,
    CAUSEWAY_FILE_DROP_DIR: join(dataDir, 'file-drop'),
    CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0',
    CAUSEWAY_SYNC_INTERVAL_SECONDS: '0',
    CAUSEWAY_LOG_LEVEL: 'fatal',
    ...env,
  });
  const config = { ...read, ...settings };
  await migrateConnections(config);
  const deadLetters: DeadLetter[] = [];
  const ledger = ledgerUnderTest();
  let running = await start(config, ledger, deadLetters);

  const stop = async (): Promise<void> => {
    await Promise.all([running, ...replicas].map((replica) => replica.close()));
    await requests.stop();
    await bank.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const restart = async (): Promise<void> => {
    await running.close();
    running = await start(config, ledger, deadLetters);
  };
  const replicas: Array<Readonly<{ close(): Promise<void> }>> = [];
  const addReplica = async (): Promise<void> => void replicas.push(await start(config, ledger, deadLetters));
  const request: ServiceUnderTest['request'] = (...asked) => running.request(...asked);
  const say: ServiceUnderTest['say'] = (contract, data) => running.say(contract, data);
  return {
    ...ledger,
    database,
    bank,
    asked: requests.paths,
    awaited: requests.awaited,
    config,
    deadLetters,
    request,
    say,
    restart,
    addReplica,
    stop,
  };
};

/** What a spec lets pass of the bank's time must not end its day: pages would change that the spec does not speak of. */
const leaveEvening = async ({ url }: SandboxBank): Promise<void> => {
  const { now } = (await (await fetch(`${url}/control/clock`)).json()) as { now: string };
  const hour = new Date(now).getUTCHours();
  if (hour < 20) return;
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ hours: 24 - hour });
  await fetch(`${url}/control/clock/advance`, { method: 'POST', headers, body });
};

const start = async (config: ConnectionsConfig, ledger: LedgerUnderTest, deadLetters: DeadLetter[]) => {
  const broker = inProcessBroker({
    deadLetters: { add: async (letter) => void deadLetters.push(letter) },
    backoffMs: 5,
  });
  await broker.consume(countingLedger(ledger, broker));
  await broker.consume(listener(ledger));
  const strategy = messageServer(broker, { group: 'connections', topics: connectionsTopics });
  const module = ConnectionsModule.register(config, broker);
  const app: INestMicroservice = await NestFactory.createMicroservice(module, { strategy, logger: false });
  app.useGlobalFilters(new MessageFaults());
  await app.listen();
  broker.open();
  const request = <C extends object, R extends object>(
    contract: CommandContract<C, R>,
    command: C,
    id: string = randomUUID(),
  ) => {
    const message = messageOf(contract, command, { id, correlationId: id, causationId: id });
    return broker.request<R>(contract.topic, message, 60_000);
  };
  const say = <D extends object>(contract: EventContract<D>, data: D) => publishAsLedger(broker, contract, data);
  const close = async (): Promise<void> => {
    await broker.close(500);
    await app.close();
  };
  return { request, say, close };
};

/** What another process of the service has in hand, over the same database. */
export const elsewhere = ({ database: { pool }, config }: Pick<ServiceUnderTest, 'database' | 'config'>) => {
  const dataKeys = postgresDataKeys({ pool, masterKeys: config.masterKeys });
  const store: EventStore = postgresEventStore({ pool, schema: eventsSchema, dataKeys });
  const snapshots: Snapshots = postgresSnapshots(pool, schema);
  return { pool, dataKeys, store, snapshots, aggregates: aggregatesIn({ store, snapshots, dataKeys }) };
};

/** The data of a reply that must be a success. */
export const dataOf = <R extends object>(reply: Reply<R>): R => {
  if (!reply.ok) throw new Error(`refused: ${JSON.stringify(reply.problem)}`);
  return reply.data;
};

/** Waits until `look` answers something. */
export const eventually = async <T>(look: () => Promise<T | undefined>, withinMs = 60_000): Promise<T> => {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(25)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`not within ${withinMs} ms`);
};
