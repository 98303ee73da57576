import type { TransferEvent, TransferStatus } from '@causeway/domain/transfers';
import { categoryOf, idOf, type Sequenced } from '@causeway/event-sourcing';
import type { WorkItem, Worker } from '@causeway/work-queue';
import { ageMs, ask } from './ask.ts';
import { execute } from './execute.ts';
import { record, type ExecutionParts, type Loaded } from './load.ts';

const kind = 'transfer';
/** Orders under way, or asked about, at once: in each process, for live and for test. */
const slots = 32;
const pauseMinMs = 1000;
const pauseMaxMs = 5 * 60_000;

/** What ends a transfer, or leaves it to others: nothing more is to be done. */
const open: readonly TransferStatus[] = ['queued', 'executing', 'pending_bank_approval', 'unknown'];

/**
 * A transfer from its day on until it has ended: one item of work. What is found in execution was in the hand of a worker
 * that died or let go: whether the bank has it, only the bank can tell.
 */
export const transferWorker = (parts: ExecutionParts, deniedMs: number): Worker => ({
  kind,
  slots,
  work: async (claim, signal) => {
    const found = await parts.transfers.load(claim.id);
    const loaded =
      found?.state.status === 'executing' ? await record(parts, found, { type: 'RecordLostOutcome' }) : found;
    if (loaded === undefined || !open.includes(loaded.state.status)) return 'done';
    const after =
      loaded.state.status === 'queued'
        ? await execute(parts, loaded, claim, signal)
        : await ask(parts, loaded, deniedMs, signal);
    if (after !== undefined && !open.includes(after.state.status)) return 'done';
    return { againInMs: pauseMs(parts, after) };
  },
});

/** The bank is asked at once, and then ever less often: each pause is as long as it has been asked for. */
const pauseMs = (parts: ExecutionParts, loaded: Loaded | undefined): number => {
  const since = loaded?.state.lostAt ?? loaded?.state.startedAt ?? null;
  return Math.min(Math.max(pauseMinMs, ageMs(parts, since)), pauseMaxMs);
};

export const isQueued = ({ stream, type }: Sequenced): boolean =>
  categoryOf(stream) === 'transfer' && type === 'TransferQueued';

/** The work that follows from a transfer's being queued. */
export const itemOf =
  ({ paymentsAt }: Pick<ExecutionParts, 'paymentsAt'>) =>
  ({ stream, metadata, data }: Sequenced): WorkItem => {
    const { order } = data as Extract<TransferEvent, { type: 'TransferQueued' }>['data'];
    const { executionDate, institutionId: institution } = order;
    const { organization, environment } = metadata;
    const dueAt = executionDate === null ? undefined : paymentsAt(institution)?.dayStart(executionDate);
    const owner = { organization: organization ?? '', environment: environment ?? 'test' };
    return { kind, id: idOf(stream), ...owner, institution, ...(dueAt === undefined ? {} : { dueAt }) };
  };
