import { connectors } from '@causeway/bank-connectors';
import {
  createTransfer,
  getPayeeKey,
  messageOf,
  sealedTo,
  type AcceptedTransferV1,
  type ChangeTransferV1,
  type CommandContract,
  type CreateTransferV1,
  type EventContract,
  type PayeeV1,
} from '@causeway/contracts';
import { payeeKeysSchema, postgresDataKeys } from '@causeway/data-keys';
import type { EventStore } from '@causeway/event-sourcing';
import { postgresEventStore } from '@causeway/event-store-postgres';
import type { DeadLetter, Reply } from '@causeway/messaging';
import { inProcessBroker } from '@causeway/messaging-in-process';
import { messageServer, MessageFaults } from '@causeway/messaging-nest';
import type { Pool } from '@causeway/postgres';
import {
  accountColumns,
  accountsView,
  connectionColumns,
  connectionsView,
  snakeCase,
  type TransferRow,
} from '@causeway/read-models';
import { startSandboxBank, testDatabase, type BankTruth, type SandboxBank, type TestDatabase } from '@causeway/testing';
import { NestFactory } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { aggregatesIn, type Aggregates } from '../src/commands/aggregates.ts';
import { transfersConfig, type TransfersConfig } from '../src/config.ts';
import { eventsSchema, migrateTransfers } from '../src/migrations.ts';
import { TransfersModule, transfersTopics } from '../src/transfers.module.ts';

export const scope = { organization: 'demo', environment: 'test' } as const;

/** A connection to sandbox-instant and its accounts, as the bank has them. */
export type Customer = Readonly<{ connectionId: string; accounts: readonly CustomerAccount[] }>;
export type CustomerAccount = Readonly<{
  id: string;
  number: string;
  type: string;
  currency: string;
  available: string;
}>;

export const accountOf = ({ accounts }: Customer, type: string, currency = 'USD'): CustomerAccount =>
  accounts.find((account) => account.type === type && account.currency === currency) as CustomerAccount;

/** The two accounts of a transfer from checking to savings. */
export const checkingToSavings = (customer: Customer) => ({
  sourceAccountId: accountOf(customer, 'checking').id,
  destination: { type: 'account' as const, accountId: accountOf(customer, 'savings').id },
});

/** The service on a real database, a real bank and a real bus, beside the views that connections would keep. */
export type ServiceUnderTest = Readonly<{
  database: TestDatabase;
  bank: SandboxBank;
  config: TransfersConfig;
  deadLetters: DeadLetter[];
  store: EventStore;
  /** The aggregates in the service's store, for what a dead process left there. */
  aggregates: Aggregates;
  customer(): Promise<Customer>;
  create(order: Partial<CreateTransferV1>): Promise<Reply<AcceptedTransferV1>>;
  /** The same for somebody else, sealed as the gateway does it. */
  pay(payee: PayeeV1, order: Partial<CreateTransferV1>): Promise<Reply<AcceptedTransferV1>>;
  change(
    contract: CommandContract<ChangeTransferV1, AcceptedTransferV1>,
    transferId: string,
    otherwise?: Partial<ChangeTransferV1>,
  ): Promise<Reply<AcceptedTransferV1>>;
  /** What another service publishes; resolves when it was handled. */
  tell<D extends object>(contract: EventContract<D>, data: D): Promise<void>;
  /** Another process of the service beside it. */
  replica(): ReturnType<typeof start>;
  row(transferId: string): Promise<TransferRow | undefined>;
  truth(connectionId: string): Promise<BankTruth>;
  halt(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}>;

export const startService = async (): Promise<ServiceUnderTest> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-transfers-'));
  const [database, bank] = await Promise.all([testDatabase(), startSandboxBank({ dataDir })]);
  const { pool } = database;
  const read = transfersConfig({
    CAUSEWAY_DATABASE_URL: database.url,
    CAUSEWAY_SANDBOX_BANK_URL: bank.url,
    CAUSEWAY_LOG_LEVEL: 'fatal',
    CAUSEWAY_MASTER_KEY: '00'.repeat(32),
  });
  const config = { ...read, deniedSeconds: 2 };
  await migrateTransfers(config);
  await makeViews(pool);
  const store = postgresEventStore({
    pool,
    schema: eventsSchema,
    dataKeys: postgresDataKeys({ pool, masterKeys: config.masterKeys, schema: payeeKeysSchema }),
  });
  const deadLetters: DeadLetter[] = [];
  let running = await start(config, deadLetters);

  const resume = async (): Promise<void> => {
    running = await start(config, deadLetters);
  };
  const stop = async (): Promise<void> => {
    await running.close();
    await store.close();
    await bank.stop();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return {
    ...{ database, bank, config, store, deadLetters, resume, stop },
    aggregates: aggregatesIn(store),
    customer: () => newCustomer(pool, bank.url),
    create: (order) => running.create(order),
    pay: (payee, order) => running.pay(payee, order),
    change: (...change) => running.change(...change),
    tell: (contract, data) => running.tell(contract, data),
    replica: () => start(config, deadLetters),
    row: (transferId) => rowOf(pool, transferId),
    truth: (connectionId) => truthOf(bank.url, connectionId),
    halt: () => running.close(),
  };
};

const start = async (config: TransfersConfig, deadLetters: DeadLetter[]) => {
  const broker = inProcessBroker({ deadLetters: { add: async (letter) => void deadLetters.push(letter) } });
  const strategy = messageServer(broker, { group: 'transfers', topics: transfersTopics });
  const module = TransfersModule.register(config);
  const app = await NestFactory.createMicroservice(module, { strategy, logger: false });
  app.useGlobalFilters(new MessageFaults());
  await app.listen();
  broker.open();
  const ask = <C extends object, R extends object>(contract: CommandContract<C, R>, data: C): Promise<Reply<R>> => {
    const id = randomUUID();
    const message = messageOf(contract, data, { id, correlationId: id, causationId: id });
    return broker.request<R>(contract.topic, message, 60_000);
  };
  const create = (order: Partial<CreateTransferV1>): Promise<Reply<AcceptedTransferV1>> =>
    ask(createTransfer, { transferId: randomUUID(), ...plainOrder, ...order });
  const pay: ServiceUnderTest['pay'] = async (payee, order) => {
    const transferId = order.transferId ?? randomUUID();
    const { publicKey } = dataOf(await ask(getPayeeKey, scope));
    const sealedPayee = await sealedTo(publicKey, JSON.stringify({ transferId, payee }));
    return create({ ...order, transferId, destination: { type: 'external', sealedPayee } });
  };
  const change: ServiceUnderTest['change'] = (contract, transferId, otherwise) =>
    ask(contract, { ...scope, transferId, requestId: null, ...otherwise });
  const close = async (): Promise<void> => {
    await broker.close();
    await app.close();
  };
  const tell = async <D extends object>(contract: EventContract<D>, data: D): Promise<void> => {
    const id = randomUUID();
    await broker.publish(contract.topic, [messageOf(contract, data, { id, correlationId: id, causationId: id })]);
  };
  return { create, pay, change, tell, close };
};

const plainOrder: Omit<CreateTransferV1, 'transferId'> = {
  ...scope,
  amount: { currency: 'USD', value: '1.00' },
  sourceAccountId: '',
  destination: { type: 'account', accountId: '' },
  transferType: 'internal',
  clientReference: null,
  executionDate: null,
  memo: null,
  skipPreflight: false,
};

const makeViews = async (pool: Pool): Promise<void> => {
  await pool.query('CREATE SCHEMA kept');
  const tables = { accounts: accountColumns, connections: connectionColumns };
  for (const [name, columns] of Object.entries(tables)) {
    const list = Object.entries(columns).map(([column, type]) => `${snakeCase(column)} ${type}`);
    await pool.query(`CREATE TABLE kept.${name} (${list.join(', ')})`);
  }
  const table = (logical: string): string => `kept.${logical}`;
  for (const statement of [...accountsView(table), ...connectionsView(table)]) await pool.query(statement);
};

const truthOf = async (bankUrl: string, connectionId: string): Promise<BankTruth> =>
  (await (await fetch(`${bankUrl}/control/connections/${connectionId}`)).json()) as BankTruth;

const newCustomer = async (pool: Pool, bankUrl: string): Promise<Customer> => {
  const connectionId = randomUUID();
  const institutionId = 'sandbox-instant';
  await connectors['sandbox']?.prepare({ connectionId, institutionId, baseUrl: bankUrl, fileDropDir: '' });
  const { accounts } = await truthOf(bankUrl, connectionId);
  await pool.query(
    `INSERT INTO kept.connections (organization, environment, id, institution_id, status)
     VALUES ('demo', 'test', $1, $2, 'active')`,
    [connectionId, institutionId],
  );
  const made = accounts.map(({ number, type, currency, availableBalance: available }) => {
    return { id: randomUUID(), number, type, currency, available };
  });
  for (const { id, number, type, currency, available } of made) {
    await pool.query(
      `INSERT INTO kept.accounts (organization, environment, id, connection_id, account_number, type, currency,
                                  status, available_balance)
       VALUES ('demo', 'test', $1, $2, $3, $4, $5, 'open', $6)`,
      [id, connectionId, number, type, currency, available],
    );
  }
  return { connectionId, accounts: made };
};

const rowOf = async (pool: Pool, transferId: string): Promise<TransferRow | undefined> => {
  const { rows } = await pool.query<TransferRow>(
    `SELECT status, failure_code AS "failureCode", executed_value AS "executedValue", completed_at AS "completedAt",
            matched_transaction_id AS "matchedTransactionId", payee
       FROM read_models.transfers_v1 WHERE id = $1`,
    [transferId],
  );
  return rows[0];
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
