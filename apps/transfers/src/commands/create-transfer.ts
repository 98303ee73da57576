import type { AcceptedTransferV1, CreateTransferV1 } from '@causeway/contracts';
import {
  faultsOf,
  preflight,
  transfer,
  type Order,
  type PreflightRefusal,
  type TransferEvent,
} from '@causeway/domain/transfers';
import type { Context, StreamName } from '@causeway/event-sourcing';
import type { Problem, Reply } from '@causeway/messaging';
import type { PayableAccountRow } from '@causeway/read-models';
import { answerOf, rowOf } from './answer.ts';
import { todayAt } from './bank-day.ts';
import type { Commands } from './commands.ts';
import { invalid, keyReused, refused } from './problems.ts';

/**
 * One transfer per id, whatever is repeated, at once, or after a crash: its own stream says whether it is there. What is
 * refused leaves nothing behind, so its idempotency key stays free.
 */
export const createTransfer = async (
  commands: Commands,
  command: CreateTransferV1,
  context: Context,
): Promise<Reply<AcceptedTransferV1>> => {
  const { transferId } = command;
  const destination = await commands.payees.destinationOf(command);
  const faults = destination.type === 'external' ? faultsOf(destination.payee, command) : [];
  if (faults.length > 0) return { ok: false, problem: invalid(faults) };

  const { order, refusal } = await check(commands, command, destination);
  const refusedWith = refusal === undefined ? await beyondQuota(commands, command) : refused(refusal);
  // The same request is replayed even when it would be refused by now.
  if (refusedWith !== undefined && !(await exists(commands, transferId))) return { ok: false, problem: refusedWith };

  const queue = { type: 'QueueTransfer', transferId, order, at: commands.now() } as const;
  const dataKey = destination.type === 'external' ? await commands.payees.dataKeyOf(command) : null;
  const decision = await commands.aggregates.transfer(queue, { ...context, dataKey }, nothing);
  if (decision.outcome === 'rejected') {
    return { ok: false, problem: refusal === undefined ? keyReused(transferId) : refused(refusal) };
  }
  await commands.untilVisible();
  const stream: StreamName = `transfer-${transferId}`;
  const replayed = decision.events.length === 0;
  const history = replayed
    ? await commands.store.readStream<TransferEvent>(stream)
    : decision.events.map((event) => ({ ...event, stream, metadata: context.metadata }));
  const row = rowOf(history);
  if (row === undefined) throw new Error(`${stream} was queued and is not there`);
  return { ok: true, data: answerOf(row, replayed) };
};

/** Most transfers are new: that there is one already shows when it is recorded. */
const nothing = { state: transfer.initial, revision: 'none' } as const;

const beyondQuota = async ({ openTransfers }: Commands, command: CreateTransferV1): Promise<Problem | undefined> =>
  (await openTransfers.admits(command, command.transferId)) ? undefined : openTransfers.problem;

type Checked = Readonly<{ order: Order; refusal: PreflightRefusal | undefined }>;

const check = async (
  commands: Commands,
  command: CreateTransferV1,
  destination: Order['destination'],
): Promise<Checked> => {
  const { source, destination: to } = await commands.sidesOf({ ...command, destination }, command);
  const order = orderOf(command, destination, source);
  if (order.executionDate !== null && order.executionDate < (await todayAt(commands, order))) {
    return { order, refusal: past };
  }
  const rails = commands.paymentsAt(source?.institutionId ?? null)?.rails ?? [];
  return { order, refusal: preflight({ order, source, destination: to, rails }) };
};

const past: PreflightRefusal = { type: 'invalid_request', path: 'executionDate', message: 'The date is past.' };

const orderOf = (
  command: CreateTransferV1,
  destination: Order['destination'],
  source: PayableAccountRow | undefined,
): Order => {
  const { amount, sourceAccountId, transferType, clientReference, memo, executionDate, skipPreflight } = command;
  const through = { connectionId: source?.connectionId ?? '', institutionId: source?.institutionId ?? '' };
  const what = { amount, ...through, sourceAccountId, destination, transferType };
  return { ...what, clientReference, memo, executionDate, skipPreflight };
};

const exists = async ({ store }: Commands, transferId: string): Promise<boolean> =>
  (await store.readStream(`transfer-${transferId}`, { limit: 1 })).length > 0;
