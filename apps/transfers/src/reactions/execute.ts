import {
  BankFault,
  type BankFaultKind,
  type PaymentOrder,
  type PaymentState,
  type Payments,
} from '@causeway/bank-connectors';
import {
  transfer,
  type Failure,
  type Order,
  type TransferCommand,
  type TransferEvent,
} from '@causeway/domain/transfers';
import type { Context, EventStore } from '@causeway/event-sourcing';
import type { Logger } from '@causeway/observability';
import type { Pool } from '@causeway/postgres';
import { payableAccounts, type Owner, type PayableAccountRow } from '@causeway/read-models';
import type { Aggregates } from '../commands/aggregates.ts';
import type { AccessTo, PaymentsAt } from '../commands/payments.ts';
import { commandFrom } from './bank-answer.ts';
import type { OpenTransfer } from './open-transfers.ts';

export type ExecutionParts = Readonly<{
  pool: Pool;
  store: EventStore;
  aggregates: Aggregates;
  paymentsAt: PaymentsAt;
  accessTo: AccessTo;
  now(): string;
  log: Pick<Logger, 'info'>;
}>;

/** How long the bank may take for an answer. Shorter than the drain of a shutdown, so that a payment is not cut off. */
export const payTimeoutMs = 8000;
/**
 * The order leaves within this time of the decision to send it, or not at all. A worker that was frozen in between wakes
 * up to a transfer that others have long asked the bank about.
 */
export const sendWithinMs = 5000;

export type Loaded = Readonly<{ order: Order; status: string; context: Context; owner: Owner }>;

export const loadTransfer = async (store: EventStore, transferId: string): Promise<Loaded | undefined> => {
  const history = await store.readStream<TransferEvent>(`transfer-${transferId}`);
  const [first] = history;
  const state = history.reduce(transfer.evolve, transfer.initial);
  if (first === undefined || state.status === 'none') return undefined;
  const { organization, environment } = first.metadata;
  const owner = { organization: organization ?? '', environment: environment ?? '' };
  const context = { metadata: { ...first.metadata, causationId: first.id } };
  return { order: state.order, status: state.status, context, owner };
};

/**
 * Executes one order, once. That it is about to be sent is recorded first, and one worker only gets to record it. What
 * is found in execution was in the hand of a worker that died: whether the bank has it, only the bank can tell.
 */
export const execute = async (parts: ExecutionParts, { transferId }: OpenTransfer): Promise<void> => {
  const loaded = await loadTransfer(parts.store, transferId);
  if (loaded === undefined) return;
  const record = (command: TransferCommand) => parts.aggregates.transfer(command, loaded.context);
  const its = { transferId, at: parts.now() };
  if (loaded.status === 'executing') await record({ type: 'RecordLostOutcome', ...its });
  if (loaded.status !== 'queued') return;

  const prepared = await prepare(parts, loaded, transferId);
  if ('failure' in prepared) return void (await record({ type: 'RecordFailure', ...its, failure: prepared.failure }));
  const decidedAt = performance.now();
  const started = await record({ type: 'StartExecution', ...its });
  if (started.outcome === 'rejected') return;
  if (performance.now() - decidedAt > sendWithinMs) {
    return void (await record({ type: 'RecordFailure', ...its, failure: notSent }));
  }
  const outcome = await pay(prepared, transferId, parts.now);
  await record(outcome);
  const ms = Math.round(performance.now() - decidedAt);
  parts.log.info({ requestId: loaded.context.metadata.correlationId, transferId, outcome: outcome.type, ms }, 'paid');
};

const notSent: Failure = { code: 'bank_error', message: 'The order could not be sent in time, and was not.' };
const unavailable: Failure = {
  code: 'connection_unavailable',
  message: 'The connection of the paying account cannot be used.',
};

type Prepared = Readonly<{ payments: Payments; send(signal: AbortSignal): Promise<PaymentState> }>;

/** What the order needs at the bank, as it is now: accounts and connections may have gone since it was queued. */
const prepare = async (
  { pool, paymentsAt, accessTo }: ExecutionParts,
  { order, owner }: Loaded,
  reference: string,
): Promise<Prepared | Readonly<{ failure: Failure }>> => {
  const { text, values } = payableAccounts([order.sourceAccountId, order.destinationAccountId], owner);
  const { rows } = await pool.query<PayableAccountRow>(text, [...values]);
  const source = rows.find(({ id }) => id === order.sourceAccountId);
  const destination = rows.find(({ id }) => id === order.destinationAccountId);
  const payments = paymentsAt(order.institutionId);
  const [from, to] = [source?.accountNumber ?? null, destination?.accountNumber ?? null];
  if (from === null || source?.connectionStatus !== 'active' || payments === undefined) {
    return { failure: unavailable };
  }
  if (to === null) {
    return { failure: { code: 'invalid_destination', message: 'The receiving account is not there any more.' } };
  }
  const accounts = { fromAccountNumber: from, toAccountNumber: to };
  const payment: PaymentOrder = { reference, ...accounts, ...paidAs(order) };
  const access = accessTo(order.connectionId, order.institutionId);
  return { payments, send: (signal) => payments.pay(access, payment, signal) };
};

const paidAs = ({ amount: { value: amount, currency }, clientReference, memo }: Order) => ({
  amount,
  currency,
  clientReference,
  memo,
});

/** Faults with which the bank says that it did not take the order. Every other one leaves open whether it did. */
const notTaken: Partial<Record<BankFaultKind, Failure>> = {
  login_refused: unavailable,
  access_revoked: unavailable,
  rate_limited: { code: 'bank_error', message: 'The bank took no orders at the time.' },
};

const pay = async ({ send }: Prepared, transferId: string, now: () => string): Promise<TransferCommand> => {
  try {
    const state = await send(AbortSignal.timeout(payTimeoutMs));
    return commandFrom(state, transferId, now()) ?? { type: 'RecordLostOutcome', transferId, at: now() };
  } catch (error) {
    const failure = error instanceof BankFault ? notTaken[error.kind] : undefined;
    const its = { transferId, at: now() };
    return failure === undefined ? { type: 'RecordLostOutcome', ...its } : { type: 'RecordFailure', ...its, failure };
  }
};
