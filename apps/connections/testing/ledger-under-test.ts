import {
  connectionsEvents,
  connectionsStatements,
  ledgerEvents,
  messageOf,
  statementBooked,
  statementPart,
  statementProgress,
  syncCompleted,
  syncFetched,
  type EventContract,
  type StatementBookedV1,
  type StatementPartV1,
  type SyncCompletedV1,
  type SyncFetchedV1,
} from '@causeway/contracts';
import type { Consumer, Message } from '@causeway/messaging';
import type { InProcessBroker } from '@causeway/messaging-in-process';
import { randomUUID } from 'node:crypto';

/** What the ledger got of one run, and how it answers. */
export type Booked = { parts: StatementPartV1[]; bytes: number; fetched: SyncFetchedV1 | undefined };

type Answer = Pick<StatementBookedV1, 'changes' | 'refused'> & Partial<Pick<StatementBookedV1, 'missing' | 'parked'>>;

/** A ledger that counts what it gets. */
export type LedgerUnderTest = Readonly<{
  runs: Map<string, Booked>;
  /** Messages that it has got: one that comes again, as after a restart, is the same. */
  heard: Set<string>;
  /** How the ledger answers a run from now on; undefined: not at all. */
  answer: { of: ((run: Booked) => Answer) | undefined };
  /** While it is set, the ledger takes nothing. */
  away: { until: Promise<void> | undefined };
  /** What others are told of the ends of runs. */
  told: SyncCompletedV1[];
}>;

export const ledgerUnderTest = (): LedgerUnderTest => ({
  runs: new Map(),
  heard: new Set(),
  answer: { of: (run) => ({ changes: run.parts.length, refused: [] }) },
  away: { until: undefined },
  told: [],
});

export const publishAsLedger = <D extends object>(
  broker: InProcessBroker,
  contract: EventContract<D>,
  data: D,
): Promise<void> => {
  const id = randomUUID();
  return broker.publish(ledgerEvents, [messageOf(contract, data, { id, correlationId: id, causationId: id })]);
};

/** Keeps what it gets, says how much of it that is, and answers a run that was fetched. */
export const countingLedger = ({ runs, heard, answer, away }: LedgerUnderTest, broker: InProcessBroker): Consumer => {
  const runOf = (runId: string): Booked => {
    const run = runs.get(runId) ?? { parts: [], bytes: 0, fetched: undefined };
    runs.set(runId, run);
    return run;
  };
  // The ledger publishes by its relay, not from within the handler.
  const publish = <D extends object>(contract: EventContract<D>, data: D): void =>
    void publishAsLedger(broker, contract, data).catch(() => undefined);

  const part = async ({ id, data, attachment }: Message): Promise<void> => {
    await away.until;
    if (heard.has(id)) return;
    heard.add(id);
    const received = data as StatementPartV1;
    const { organization, environment, connectionId, runId, part: number, parts } = received;
    const run = runOf(runId);
    run.parts.push(received);
    run.bytes += attachment?.length ?? 0;
    const progress = { organization, environment, connectionId, runId, bytes: run.bytes };
    if (answer.of !== undefined && number === parts - 1) publish(statementProgress, progress);
  };
  const fetched = async ({ data }: Message): Promise<void> => {
    await away.until;
    const { organization, environment, connectionId, runId } = data as SyncFetchedV1;
    const run = runOf(runId);
    run.fetched = data as SyncFetchedV1;
    const outcome = answer.of?.(run);
    if (outcome === undefined) return;
    publish(statementBooked, { organization, environment, connectionId, runId, missing: 0, parked: false, ...outcome });
  };
  const events = new Map([
    [statementPart.type, part],
    [syncFetched.type, fetched],
  ]);
  return { group: 'ledger', topics: [connectionsStatements], commands: new Map(), events };
};

/** Hears what is meant for webhooks. */
export const listener = ({ told }: LedgerUnderTest): Consumer => {
  const completed = async ({ data }: Message): Promise<void> => void told.push(data as SyncCompletedV1);
  const events = new Map([[syncCompleted.type, completed]]);
  return { group: 'webhooks', topics: [connectionsEvents], commands: new Map(), events };
};
