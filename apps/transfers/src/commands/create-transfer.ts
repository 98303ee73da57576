import type { CreatedTransferV1, CreateTransferV1 } from '@causeway/contracts';
import { preflight, type Order, type TransferEvent } from '@causeway/domain/transfers';
import type { Context } from '@causeway/event-sourcing';
import type { Problem, Reply } from '@causeway/messaging';
import { payableAccounts, type PayableAccountRow, type TransferRow } from '@causeway/read-models';
import { applyToTransfer } from '../projections/transfers/transfers.ts';
import type { Commands } from './commands.ts';
import { claim, claimedBefore, keyedBy } from './key.ts';
import { invalid, keyReused, preflightFailed } from './problems.ts';

/**
 * One transfer per key, whatever is repeated, at once, or after a crash. What would be refused is refused before the key
 * is claimed, so its key stays free. A claim that its request did not live to use is used by the next one, and of
 * several at once, each queues the same transfer: one of them finds it new, the others replay it.
 */
export const createTransfer = async (
  commands: Commands,
  command: CreateTransferV1,
  messageId: string,
  context: Context,
): Promise<Reply<CreatedTransferV1>> => {
  const keyed = keyedBy(command, messageId, commands);
  const before = await claimedBefore(commands, keyed);
  const known = before === undefined ? undefined : await transferRow(commands, before);
  if (known !== undefined) return { ok: true, data: { transfer: known, replayed: true } };

  const checked = await check(commands, command);
  if ('problem' in checked) return { ok: false, problem: checked.problem };
  const { transferId, reused } = await claim(commands, keyed, context);
  if (reused) return { ok: false, problem: keyReused(transferId) };
  return queue(commands, transferId, checked.order, context);
};

const queue = async (
  commands: Commands,
  transferId: string,
  order: Order,
  context: Context,
): Promise<Reply<CreatedTransferV1>> => {
  const command = { type: 'QueueTransfer', transferId, order, at: commands.now() } as const;
  const decision = await commands.aggregates.transfer(command, context);
  if (decision.outcome === 'rejected') return { ok: false, problem: keyReused(transferId) };
  const replayed = decision.events.length === 0;
  if (!replayed) {
    await commands.untilVisible();
    commands.queued();
  }
  const transfer = await transferRow(commands, transferId);
  if (transfer === undefined) throw new Error(`transfer ${transferId} was queued and is not there`);
  return { ok: true, data: { transfer, replayed } };
};

type Checked = Readonly<{ order: Order }> | Readonly<{ problem: Problem }>;

const check = async (commands: Commands, command: CreateTransferV1): Promise<Checked> => {
  const { sourceAccountId, destinationAccountId, executionDate, amount, skipPreflight } = command;
  const accounts = await accountsOf(commands, command);
  const source = accounts.get(sourceAccountId.toLowerCase());
  const destination = accounts.get(destinationAccountId.toLowerCase());
  if (source === undefined) return missing('sourceAccountId');
  if (destination === undefined) return missing('destination.accountId');
  if (executionDate !== null && executionDate < commands.now().slice(0, 10)) {
    return { problem: invalid({ path: 'executionDate', message: 'The date is past.' }) };
  }
  const takesPayments = commands.paymentsAt(source.institutionId) !== undefined;
  const refusal = skipPreflight ? undefined : preflight({ source, destination, amount, takesPayments });
  if (refusal !== undefined) return { problem: preflightFailed(refusal) };
  return { order: orderOf(command, source) };
};

const missing = (path: string): Checked => ({ problem: invalid({ path, message: 'There is no such account.' }) });

const orderOf = (command: CreateTransferV1, source: PayableAccountRow): Order => {
  const { amount, destinationAccountId, clientReference, memo, executionDate } = command;
  const { id: sourceAccountId, connectionId, institutionId } = source;
  const through = { connectionId, institutionId: institutionId ?? '' };
  const accounts = { sourceAccountId, destinationAccountId: destinationAccountId.toLowerCase() };
  return { amount, ...through, ...accounts, clientReference, memo, executionDate };
};

const accountsOf = async (
  { pool }: Commands,
  { sourceAccountId, destinationAccountId, organization, environment }: CreateTransferV1,
): Promise<ReadonlyMap<string, PayableAccountRow>> => {
  const { text, values } = payableAccounts([sourceAccountId, destinationAccountId], { organization, environment });
  const { rows } = await pool.query<PayableAccountRow>(text, [...values]);
  return new Map(rows.map((row) => [row.id, row]));
};

/** The row as the stream has it, whether the projection has got there or not. */
const transferRow = async ({ store }: Commands, transferId: string): Promise<TransferRow | undefined> => {
  const history = await store.readStream<TransferEvent>(`transfer-${transferId}`);
  return history.reduce<TransferRow | undefined>(applyToTransfer, undefined);
};
