import type { TransferEvent, TransferStatus } from '@causeway/domain/transfers';
import { assertNever, categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import type { WorkItem, Worker } from '@causeway/work-queue';
import { dayAt } from '../commands/bank-day.ts';
import { ageMs, ask } from './ask.ts';
import { execute } from './execute.ts';
import { record, type ExecutionParts, type Loaded } from './load.ts';

const kind = 'transfer';
/** Orders under way, or asked about, at once: in each process, for live and for test. */
const slots = 32;

/**
 * A transfer from its being queued until nothing can become of it any more: one item of work. What is found in execution
 * was in the hand of a worker that died or let go: whether the bank has it, only the bank can tell.
 */
export const transferWorker = (parts: ExecutionParts, deniedMs: number): Worker => ({
  kind,
  slots,
  work: async (claim, signal) => {
    const found = await parts.transfers.load(claim.id);
    const loaded =
      found?.state.status === 'executing' ? await record(parts, found, { type: 'RecordLostOutcome' }) : found;
    if (loaded === undefined || nextLookMs(parts, loaded) === undefined) return 'done';
    const isQueued = loaded.state.status === 'queued';
    const untilDayMs = isQueued ? await untilDay(parts, loaded) : 0;
    if (untilDayMs > 0) return { againInMs: untilDayMs };
    const after = isQueued ? await execute(parts, loaded, claim, signal) : await ask(parts, loaded, deniedMs, signal);
    const againInMs = after === undefined ? lookMs.open.min : nextLookMs(parts, after);
    return againInMs === undefined ? 'done' : { againInMs };
  },
});

const dayMs = 86_400_000;
/** A bank that does not tell its day is asked again. */
const noDayMs = 5000;

/** How long until the day of the order can have begun at the bank; 0: it has. */
const untilDay = async (parts: ExecutionParts, { state: { order } }: Loaded): Promise<number> => {
  if (order.executionDate === null) return 0;
  const day = await dayAt(parts, order);
  if (day === undefined) return noDayMs;
  return order.executionDate <= day.today ? 0 : day.lookAgainMs;
};

/** How often the bank is asked: each pause is as long as it has been asked for, within bounds. */
const lookMs = {
  open: { min: 1000, max: 5 * 60_000 },
  /** The money may come back: of a direct debit up to 60 days later. */
  completed: { min: 10_000, max: dayMs },
};
const returnsMs = 60 * dayMs;

const pauseMs = (ms: number, { min, max }: Readonly<{ min: number; max: number }>): number =>
  Math.min(Math.max(min, ms), max);

/** When there is something to look at again. Undefined: nothing can become of it any more. */
const nextLookMs = (parts: ExecutionParts, { state }: Loaded): number | undefined => {
  const status: TransferStatus = state.status;
  switch (status) {
    case 'queued':
    case 'executing':
    case 'pending_bank_approval':
    case 'unknown':
      return pauseMs(ageMs(parts, state.lostAt ?? state.startedAt), lookMs.open);
    case 'completed': {
      const age = ageMs(parts, state.endedAt);
      return age < returnsMs ? pauseMs(age, lookMs.completed) : undefined;
    }
    case 'failed':
    case 'cancelled':
    case 'returned':
      return undefined;
    default:
      return assertNever(status);
  }
};

type ToExecute = Extract<TransferEvent, { type: 'TransferQueued' | 'TransferRetried' }>;

export const isToExecute = ({ stream, type }: Sequenced): boolean =>
  categoryOf(stream) === 'transfer' && (type === 'TransferQueued' || type === 'TransferRetried');

/** The work that follows from a transfer's being queued. */
export const itemOf = (event: Sequenced): WorkItem => {
  const { organization, environment } = event.metadata;
  const { type, data } = event as unknown as ToExecute;
  const { institutionId: institution } = type === 'TransferQueued' ? data.order : data;
  const owner = { organization: organization ?? '', environment: environment ?? 'test' };
  return { kind, id: idOf(event.stream), ...owner, institution };
};
