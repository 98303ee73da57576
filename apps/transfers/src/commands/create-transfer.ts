import type { CreatedTransferV1, CreateTransferV1 } from '@causeway/contracts';
import { preflight, type Order, type PreflightRefusal, type TransferEvent } from '@causeway/domain/transfers';
import type { Context } from '@causeway/event-sourcing';
import type { Reply } from '@causeway/messaging';
import { payableAccounts, type PayableAccountRow, type TransferRow } from '@causeway/read-models';
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
  const problem = refusal === undefined ? keyReused(transferId) : refused(refusal);
  // The same request is replayed even when it would be refused by now.
  if (refusal !== undefined && !(await exists(commands, transferId))) return { ok: false, problem };

  const queue = { type: 'QueueTransfer', transferId, order, at: commands.now() } as const;
  const decision = await commands.aggregates.transfer(queue, context);
  if (decision.outcome === 'rejected') return { ok: false, problem };
  const replayed = decision.events.length === 0;
  if (!replayed) commands.queued();
  await commands.untilVisible();
  const transfer = await transferRow(commands, transferId);
  if (transfer === undefined) throw new Error(`transfer ${transferId} was queued and is not there`);
  return { ok: true, data: { transfer, replayed } };
};

type Checked = Readonly<{ order: Order; refusal: PreflightRefusal | undefined }>;

const check = async (commands: Commands, command: CreateTransferV1): Promise<Checked> => {
  const accounts = await accountsOf(commands, command);
  const source = accounts.get(command.sourceAccountId);
  const destination = accounts.get(command.destinationAccountId);
  const order = orderOf(command, source);
  const takesPayments = commands.paymentsAt(source?.institutionId ?? null) !== undefined;
  const isPast = order.executionDate !== null && order.executionDate < commands.now().slice(0, 10);
  return { order, refusal: isPast ? past : preflight({ order, source, destination, takesPayments }) };
};

const past: PreflightRefusal = { type: 'invalid_request', path: 'executionDate', message: 'The date is past.' };

const orderOf = (command: CreateTransferV1, source: PayableAccountRow | undefined): Order => {
  const { amount, sourceAccountId, destinationAccountId, clientReference, memo, executionDate, skipPreflight } =
    command;
  const through = { connectionId: source?.connectionId ?? '', institutionId: source?.institutionId ?? '' };
  const accounts = { sourceAccountId, destinationAccountId };
  return { amount, ...through, ...accounts, clientReference, memo, executionDate, skipPreflight };
};

const accountsOf = async (
  { pool }: Commands,
  { sourceAccountId, destinationAccountId, organization, environment }: CreateTransferV1,
): Promise<ReadonlyMap<string, PayableAccountRow>> => {
  const { text, values } = payableAccounts([sourceAccountId, destinationAccountId], { organization, environment });
  const { rows } = await pool.query<PayableAccountRow>(text, [...values]);
  return new Map(rows.map((row) => [row.id, row]));
};

const exists = async ({ store }: Commands, transferId: string): Promise<boolean> =>
  (await store.readStream(`transfer-${transferId}`, { limit: 1 })).length > 0;

/** The row as the stream has it, whether the projection has got there or not. */
const transferRow = async ({ store }: Commands, transferId: string): Promise<TransferRow | undefined> => {
  const history = await store.readStream<TransferEvent>(`transfer-${transferId}`);
  return history.reduce<TransferRow | undefined>(applyToTransfer, undefined);
};
