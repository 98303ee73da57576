import {
  transfer,
  type DeclaredOutcome,
  type StatementRow,
  type TransferCommand,
  type TransferEvent,
  type TransferRejection,
} from '@causeway/domain/transfers';
import { commandHandler, type EventStore, type Recorded, type StreamName } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import { transferById, transferMatchedTo, type TransferRow } from '@causeway/read-models';
import { Option, type Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { operatorIn } from '../operator.ts';
import { print, printJson, type Json } from '../print.ts';
import { onRunningSystem, openStore, systemAddress } from '../running-system.ts';
import { uuidOf } from '../uuid.ts';

const schema = 'transfers';
/** The bank has 10 s for an answer. */
const answeredWithinMs = 30_000;
const shownWithinMs = 10_000;
const pollMs = 50;

type Flags = Json & Readonly<{ reason: string }>;
type Word = Extract<TransferCommand, { type: 'DeclareOutcome' | 'RematchTransaction' }>;
type History = readonly Recorded<TransferEvent>[];

/** A transfer of a running system: its events, and what clients are shown. */
type Place = Readonly<{
  pool: Pool;
  store: EventStore;
  transferId: string;
  owner: Readonly<{ organization: string; environment: 'live' | 'test' }>;
}>;

const newId = (): string => uuidV7();
const streamOf = ({ transferId }: Readonly<{ transferId: string }>): StreamName => `transfer-${transferId}`;
const historyOf = ({ store, transferId }: Omit<Place, 'owner'>): Promise<History> =>
  store.readStream<TransferEvent>(streamOf({ transferId }));

const at = (transferId: string, work: (place: Place) => Promise<void>): Promise<void> =>
  onRunningSystem(systemAddress(process.env), schema, async (pool) => {
    const store = await openStore(process.env, pool, `${schema}_events`);
    try {
      const [first] = await historyOf({ pool, store, transferId });
      if (first === undefined) throw new Error(`there is no transfer ${transferId}`);
      const { organization, environment } = first.metadata;
      await work({
        pool,
        store,
        transferId,
        owner: { organization: organization ?? '', environment: environment ?? 'test' },
      });
    } finally {
      await store.close();
    }
  });

const refusal = (rejection: TransferRejection): string => {
  switch (rejection.code) {
    case 'wrong_status':
      return `is ${rejection.status}`;
    case 'matched_already':
      return `cannot have the transaction of transfer ${rejection.transferId}`;
    case 'other_account':
      return 'does not pay from the account of this transaction';
    default:
      return 'is not there';
  }
};

/** As the service itself would append it. */
const record = async ({ store, owner }: Place, word: Word): Promise<void> => {
  const id = newId();
  const handle = commandHandler(store, transfer, { streamOf, newId });
  const decision = await handle(word, { metadata: { correlationId: id, causationId: id, ...owner } });
  if (decision.outcome === 'rejected') throw new Error(`transfer ${word.transferId} ${refusal(decision.rejection)}`);
};

const by = ({ reason }: Flags) => ({ reason, operator: operatorIn(process.env), at: new Date().toISOString() });

/** Looks until `look` answers something. */
const until = async <T>(withinMs: number, look: () => Promise<T | undefined>): Promise<T | undefined> => {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(pollMs)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  return undefined;
};

const shown = async ({ pool, transferId, owner }: Place, is: (row: TransferRow) => boolean): Promise<TransferRow> => {
  const { text, values } = transferById(owner, transferId);
  const row = await until(shownWithinMs, async () =>
    (await pool.query<TransferRow>(text, [...values])).rows.find((found) => is(found)),
  );
  if (row === undefined)
    throw new Error(`transfer ${transferId}: recorded, but the system did not take notice in time`);
  return row;
};

type Answer = Readonly<{ declared: Recorded<TransferEvent>; answer: Recorded<TransferEvent> }>;

/** What came of the newest declaration. */
const answered = async (place: Place): Promise<Answer | undefined> => {
  const history = await historyOf(place);
  const index = history.findLastIndex(({ type }) => type === 'TransferOutcomeDeclared');
  const [declared, answer] = [history[index], history[index + 1]];
  return declared === undefined || answer === undefined ? undefined : { declared, answer };
};

type Resolving = Flags & Readonly<{ sent?: boolean; notSent?: boolean }>;

const resolve = (transferId: string, flags: Resolving, command: Command): Promise<void> => {
  if ((flags.sent === true) === (flags.notSent === true))
    command.error('error: give --sent or --not-sent', { exitCode: 2 });
  const outcome: DeclaredOutcome = flags.sent === true ? 'sent' : 'not_sent';
  return at(transferId, async (place) => {
    await record(place, { type: 'DeclareOutcome', transferId, outcome, ...by(flags) });
    const found = await until(answeredWithinMs, () => answered(place));
    if (found === undefined) throw new Error(`transfer ${transferId}: the bank is still asked; read it again later`);
    const { declared, answer } = found;
    if (answer.type === 'TransferOutcomeLost') {
      throw new Error(`transfer ${transferId}: the bank has the order and has not decided; its answer will count`);
    }
    const { status, failureCode } = await shown(place, (row) => row.status !== 'unknown');
    const decidedBy = answer.metadata.causationId === declared.id ? 'operator' : 'bank';
    if (flags.json === true) return printJson({ transferId, status, failureCode, decidedBy });
    const known = decidedBy === 'bank' ? ' The bank knows it, and its answer counts.' : '';
    print(`Transfer ${transferId} is ${status}.${known}`);
  });
};

/** A row of a statement that was not taken back, and the transfer that it is matched to. */
const rowOf = async ({ pool, owner }: Place, transactionId: string): Promise<StatementRow> => {
  const { organization, environment } = owner;
  const found = await pool.query<{ accountId: string }>(
    `SELECT account_id AS "accountId" FROM read_models.transactions_v1
      WHERE id = $1 AND organization = $2 AND environment = $3 AND NOT removed AND status <> 'cancelled'`,
    [transactionId, organization, environment],
  );
  const accountId = found.rows[0]?.accountId;
  if (accountId === undefined) throw new Error(`there is no transaction ${transactionId}`);
  const { text, values } = transferMatchedTo(owner, transactionId);
  const matched = await pool.query<{ id: string }>(text, [...values]);
  return { transactionId, accountId, transferId: matched.rows[0]?.id ?? null };
};

const match = (transferId: string, transaction: string, flags: Flags): Promise<void> =>
  at(transferId, async (place) => {
    const row = transaction === 'none' ? null : await rowOf(place, transaction);
    await record(place, { type: 'RematchTransaction', transferId, row, ...by(flags) });
    const matchedTransactionId = row?.transactionId ?? null;
    await shown(place, (is) => is.matchedTransactionId === matchedTransactionId);
    if (flags.json === true) return printJson({ transferId, matchedTransactionId });
    print(`Transfer ${transferId} is matched to ${matchedTransactionId ?? 'no transaction'}.`);
  });

const transactionOrNone = (text: string): string => (text === 'none' ? text : uuidOf('transaction')(text));

export const transfersCommands = (program: Command): void => {
  const transfers = program
    .command('transfers')
    .description('An operator’s word on transfers, where the bank has none');
  const add = (name: string, description: string): Command =>
    transfers
      .command(name)
      .description(description)
      .argument('<id>', 'the transfer', uuidOf('transfer'))
      .requiredOption('--reason <text>', 'why, for who looks at its history')
      .option('--json', 'print JSON');
  add('resolve', 'Say what became of one whose outcome is unknown; the bank is asked first')
    .addOption(new Option('--sent', 'the bank has paid it').conflicts('notSent'))
    .addOption(new Option('--not-sent', 'the bank has not paid it and will not'))
    .action(resolve);
  add('match', 'Say which transaction of the statement it is')
    .argument('<transaction>', 'its id, or none', transactionOrNone)
    .action(match);
};
