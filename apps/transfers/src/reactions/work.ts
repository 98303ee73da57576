import type { TransferEvent, TransferStatus } from '@causeway/domain/transfers';
import { assertNever, categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import type { WorkItem, Worker } from '@causeway/work-queue';
import { dayAt } from '../commands/bank-day.ts';
import { ageMs, ask } from './ask.ts';
import { execute } from './execute.ts';
import { record, type ExecutionParts, type Loaded } from './load.ts';

/** Orders under way, or asked about, at once: in each process, for live and for test. */
const slots = 32;
/** What was paid and may come back can wait: it takes no slot of an order. */
const returnSlots = 4;

/**
 * A transfer from its being queued until the bank has answered: one item of work. What is found in execution was in the
 * hand of a worker that died or let go: whether the bank has it, only the bank can tell.
 */
export const transferWorker = (parts: ExecutionParts, deniedMs: number): Worker => ({
  kind: 'transfer',
  slots,
  work: async (claim, signal) => {
    const found = await parts.transfers.load(claim.id);
    const loaded =
      found?.state.status === 'executing' ? await record(parts, found, { type: 'RecordLostOutcome' }) : found;
    if (loaded === undefined || !open.includes(loaded.state.status)) return 'done';
    const isQueued = loaded.state.status === 'queued';
    const untilDayMs = isQueued ? await untilDay(parts, loaded) : 0;
    if (untilDayMs > 0) return { againInMs: untilDayMs };
    const after = isQueued ? await execute(parts, loaded, claim, signal) : await ask(parts, loaded, deniedMs, signal);
    if (after !== undefined && !open.includes(after.state.status)) return 'done';
    return { againInMs: pauseMs(ageMs(parts, after?.state.lostAt ?? after?.state.startedAt ?? null), askMs) };
  },
});

/** What is paid may come back. The bank is asked ever less often, and then no more. */
export const returnWorker = (parts: ExecutionParts): Worker => ({
  kind: 'return',
  slots: returnSlots,
  work: async (claim, signal) => {
    const loaded = await parts.transfers.load(claim.id);
    if (loaded?.state.status !== 'completed') return 'done';
    const after = await ask(parts, loaded, Infinity, signal);
    const ageAfterMs = ageMs(parts, loaded.state.endedAt);
    if (after?.state.status !== 'completed' || ageAfterMs > returnsMs) return 'done';
    return { againInMs: pauseMs(ageAfterMs, returnMs) };
  },
});

/** What ends a transfer, or leaves it to others: nothing more is to be done. */
const open: readonly TransferStatus[] = ['queued', 'executing', 'pending_bank_approval', 'unknown'];

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
const askMs = { min: 1000, max: 5 * 60_000 };
const returnMs = { min: 10_000, max: dayMs };
/** A direct debit may come back so long after it was paid. */
const returnsMs = 60 * dayMs;

const pauseMs = (ms: number, { min, max }: Readonly<{ min: number; max: number }>): number =>
  Math.min(Math.max(min, ms), max);

type Leading = Extract<
  TransferEvent,
  { type: 'TransferQueued' | 'TransferRetried' | 'TransferOutcomeDeclared' | 'TransferCompleted' }
>;
const leading: readonly string[] = [
  'TransferQueued',
  'TransferRetried',
  'TransferOutcomeDeclared',
  'TransferCompleted',
] satisfies Leading['type'][];

export const leadsToWork = ({ stream, type }: Sequenced): boolean =>
  categoryOf(stream) === 'transfer' && leading.includes(type);

/** The work that follows from a transfer's being queued, declared on, or paid. */
export const itemOf = (event: Sequenced): WorkItem => {
  const { organization, environment } = event.metadata;
  const item = {
    id: idOf(event.stream),
    organization: organization ?? '',
    environment: environment ?? 'test',
  } as const;
  const { type, data } = event as unknown as Leading;
  switch (type) {
    case 'TransferQueued':
      return { ...item, kind: 'transfer', institution: data.order.institutionId };
    case 'TransferRetried':
    case 'TransferOutcomeDeclared':
      return { ...item, kind: 'transfer', institution: data.institutionId };
    case 'TransferCompleted': {
      const dueAt = new Date(Date.parse(data.completedAt) + returnMs.min).toISOString();
      return { ...item, kind: 'return', institution: null, dueAt };
    }
    default:
      return assertNever(type);
  }
};
