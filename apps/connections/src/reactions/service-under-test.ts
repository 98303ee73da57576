import {
  connectionsStatements,
  ledgerEvents,
  messageOf,
  statementBooked,
  statementPart,
  syncFetched,
  type CommandContract,
  type StatementBookedV1,
  type StatementPartV1,
  type SyncFetchedV1,
} from '@causeway/contracts';
import type { Consumer, DeadLetter, Message, Reply } from '@causeway/messaging';
import { inProcessBroker, type InProcessBroker } from '@causeway/messaging-in-process';
import { messageServer, MessageFaults } from '@causeway/messaging-nest';
import { startSandboxBank, testDatabase, type SandboxBank, type TestDatabase } from '@causeway/testing';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionsConfig, type ConnectionsConfig } from '../config.ts';
import { ConnectionsModule, connectionsTopics } from '../connections.module.ts';
import { migrateConnections } from '../migrations.ts';

/** What the ledger got of one run, and how it answers. */
export type Booked = { parts: StatementPartV1[]; bytes: number; fetched: SyncFetchedV1 | undefined };

/** The service on a real database, a real bank and a real bus, with a ledger that counts what it gets. */
export type ServiceUnderTest = Readonly<{
  database: TestDatabase;
  bank: SandboxBank;
  config: ConnectionsConfig;
  runs: Map<string, Booked>;
  deadLetters: DeadLetter[];
  /** How the ledger answers a run from now on; undefined: not at all. */
  answer: {
    of:
      | ((
          run: Booked,
        ) => Pick<StatementBookedV1, 'changes' | 'refused'> & Partial<Pick<StatementBookedV1, 'missing' | 'parked'>>)
      | undefined;
  };
  request<C extends object, R extends object>(contract: CommandContract<C, R>, command: C): Promise<Reply<R>>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}>;

type Options = Readonly<{
  env?: Record<string, string>;
  bankEnv?: Record<string, string>;
  syncSilenceSeconds?: number;
}>;

export const startService = async ({
  env = {},
  bankEnv = {},
  ...settings
}: Options = {}): Promise<ServiceUnderTest> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-connections-'));
  const [database, bank] = await Promise.all([testDatabase(), startSandboxBank({ dataDir, env: bankEnv })]);
  await leaveEvening(bank);
  const read = connectionsConfig({
    CAUSEWAY_DATABASE_URL: database.url,
    CAUSEWAY_MASTER_KEY: '00'.repeat(32),
    CAUSEWAY_SANDBOX_BANK_URL: bank.url,
    CAUSEWAY_FILE_DROP_DIR: join(dataDir, 'file-drop'),
    CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0',
    CAUSEWAY_SYNC_INTERVAL_SECONDS: '0',
    CAUSEWAY_LOG_LEVEL: 'fatal',
    ...env,
  });
  const config = { ...read, ...settings };
  await migrateConnections(config);
  const runs = new Map<string, Booked>();
  const deadLetters: DeadLetter[] = [];
  const answer: ServiceUnderTest['answer'] = { of: (run) => ({ changes: run.parts.length, refused: [] }) };
  let running = await start(config, { runs, deadLetters, answer });

  const stop = async (): Promise<void> => {
    await running.close();
    await bank.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const restart = async (): Promise<void> => {
    await running.close();
    running = await start(config, { runs, deadLetters, answer });
  };
  const request: ServiceUnderTest['request'] = (contract, command) => running.request(contract, command);
  return { database, bank, config, runs, deadLetters, answer, request, restart, stop };
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

type Ledger = Pick<ServiceUnderTest, 'runs' | 'deadLetters' | 'answer'>;

/** Keeps what it gets, and answers a run that was fetched. */
const countingLedger = ({ runs, answer }: Ledger, broker: InProcessBroker): Consumer => {
  const runOf = (runId: string): Booked => {
    const run = runs.get(runId) ?? { parts: [], bytes: 0, fetched: undefined };
    runs.set(runId, run);
    return run;
  };
  const part = async ({ data, attachment }: Message): Promise<void> => {
    const run = runOf((data as StatementPartV1).runId);
    run.parts.push(data as StatementPartV1);
    run.bytes += attachment?.length ?? 0;
  };
  const fetched = async ({ id, correlationId, data }: Message): Promise<void> => {
    const { organization, environment, connectionId, runId } = data as SyncFetchedV1;
    const run = runOf(runId);
    run.fetched = data as SyncFetchedV1;
    const outcome = answer.of?.(run);
    if (outcome === undefined) return;
    const booked = { organization, environment, connectionId, runId, missing: 0, parked: false, ...outcome };
    const message = messageOf(statementBooked, booked, { id: randomUUID(), correlationId, causationId: id });
    // The ledger publishes by its relay, not from within the handler.
    void broker.publish(ledgerEvents, [message]).catch(() => undefined);
  };
  const events = new Map([
    [statementPart.type, part],
    [syncFetched.type, fetched],
  ]);
  return { group: 'ledger', topics: [connectionsStatements], commands: new Map(), events };
};

const start = async (config: ConnectionsConfig, ledger: Ledger) => {
  const broker = inProcessBroker({
    deadLetters: { add: async (letter) => void ledger.deadLetters.push(letter) },
    backoffMs: 5,
  });
  await broker.consume(countingLedger(ledger, broker));
  const strategy = messageServer(broker, { group: 'connections', topics: connectionsTopics });
  const module = ConnectionsModule.register(config, broker);
  const app: INestMicroservice = await NestFactory.createMicroservice(module, { strategy, logger: false });
  app.useGlobalFilters(new MessageFaults());
  await app.listen();
  broker.open();
  const request = <C extends object, R extends object>(contract: CommandContract<C, R>, command: C) => {
    const id = randomUUID();
    const message = messageOf(contract, command, { id, correlationId: id, causationId: id });
    return broker.request<R>(contract.topic, message, 20_000);
  };
  const close = async (): Promise<void> => {
    await broker.close();
    await app.close();
  };
  return { request, close };
};

/** The data of a reply that must be a success. */
export const dataOf = <R extends object>(reply: Reply<R>): R => {
  if (!reply.ok) throw new Error(`refused: ${JSON.stringify(reply.problem)}`);
  return reply.data;
};

/** Waits until `look` answers something. */
export const eventually = async <T>(look: () => Promise<T | undefined>, withinMs = 20_000): Promise<T> => {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(25)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`not within ${withinMs} ms`);
};
