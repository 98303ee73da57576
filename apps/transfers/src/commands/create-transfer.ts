import type { CreatedTransferV1, CreateTransferV1 } from '@causeway/contracts';
import { preflight, transfer, type Order, type PreflightRefusal, type TransferEvent } from '@causeway/domain/transfers';
import type { Context, StreamName } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import type { PayableAccountRow, TransferRow } from '@causeway/read-models';
import { applyToTransfer } from '../projections/transfers/transfers.ts';
import type { Commands } from './commands.ts';
import { keyReused, refused } from './problems.ts';

type Created = Reply<CreatedTransferV1>;

/**
 * One transfer per id, whatever is repeated, at once, or after a crash: its own stream says whether it is there. What is
 * refused leaves nothing behind, so its idempotency key stays free.
 */
export const createTransfer = async (
  commands: Commands,
  command: CreateTransferV1,
  context: Context,
): Promise<Created> => {
  const { transferId } = command;
  const { order, refusal } = await check(commands, command);
  const room = refusal !== undefined || (await commands.openTransfers.admits(command, transferId));
  const problem = refusal === undefined ? keyReused(transferId) : refused(refusal);
  // The same request is replayed even when it would be refused by now.
  if ((refusal !== undefined || !room) && !(await exists(commands, transferId))) {
    return { ok: false, problem: room ? problem : commands.openTransfers.problem };
  }

  const queue = { type: 'QueueTransfer', transferId, order, at: commands.now() } as const;
  const decision = await commands.aggregates.transfer(queue, context, nothing);
  if (decision.outcome === 'rejected') return { ok: false, problem };
  await commands.untilVisible();
  const stream: StreamName = `transfer-${transferId}`;
  const replayed = decision.events.length === 0;
  const history = replayed
    ? await commands.store.readStream<TransferEvent>(stream)
    : decision.events.map((event) => ({ ...event, stream, metadata: context.metadata }));
  const row = history.reduce<TransferRow | undefined>(applyToTransfer, undefined);
  if (row === undefined) throw new Error(`${stream} was queued and is not there`);
  return { ok: true, data: { transfer: row, replayed } };
};

/** Most transfers are new: that there is one already shows when it is recorded. */
const nothing = { state: transfer.initial, revision: 'none' } as const;

type Checked = Readonly<{ order: Order; refusal: PreflightRefusal | undefined }>;

const check = async (commands: Commands, command: CreateTransferV1): Promise<Checked> => {
  const { source, destination } = await commands.sidesOf(command, command);
  const order = orderOf(command, source);
  const payments = commands.paymentsAt(source?.institutionId ?? null);
  const { executionDate } = order;
  const end = executionDate === null ? undefined : payments?.dayStart(dayAfter(executionDate));
  if (end !== undefined && end <= commands.now()) return { order, refusal: past };
  return { order, refusal: preflight({ order, source, destination, takesPayments: payments !== undefined }) };
};

const dayMs = 86_400_000;
const dayAfter = (date: string): string => new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10);

const past: PreflightRefusal = { type: 'invalid_request', path: 'executionDate', message: 'The date is past.' };

const orderOf = (command: CreateTransferV1, source: PayableAccountRow | undefined): Order => {
  const { amount, sourceAccountId, destinationAccountId, clientReference, memo, executionDate, skipPreflight } =
    command;
  const through = { connectionId: source?.connectionId ?? '', institutionId: source?.institutionId ?? '' };
  const accounts = { sourceAccountId, destinationAccountId };
  return { amount, ...through, ...accounts, clientReference, memo, executionDate, skipPreflight };
};

const exists = async ({ store }: Commands, transferId: string): Promise<boolean> =>
  (await store.readStream(`transfer-${transferId}`, { limit: 1 })).length > 0;
