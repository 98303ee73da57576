import { BankFault, type BankFaultKind, type PaymentOrder, type PaymentState } from '@causeway/bank-connectors';
import { referenceOf, type FailureCode, type Order, type TransferStep } from '@causeway/domain/transfers';
import { ClaimLost, type Claim } from '@causeway/work-queue';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { earlierOutcome } from './ask.ts';
import { stepFrom } from './bank-answer.ts';
import { record, type ExecutionParts, type Loaded } from './load.ts';

/** How long the bank may take for an answer. */
const payTimeoutMs = 8000;
/** An order that is under way when the process stops is waited for this long. What became of it is asked for later. */
const letGoMs = 1000;
/**
 * The order leaves within this time of the decision to send it, or not at all. A worker that was frozen in between wakes
 * up to a transfer that others have long asked the bank about.
 */
export const sendWithinMs = 5000;

type Held = Pick<Claim, 'throwIfLost'>;

/**
 * Executes one order, once. That it is about to be sent is recorded first, and one worker only gets to record it.
 * Undefined: it was another one.
 */
export const execute = async (
  parts: ExecutionParts,
  loaded: Loaded,
  claim: Held,
  signal: AbortSignal,
): Promise<Loaded | undefined> => {
  const send = await prepare(parts, loaded);
  claim.throwIfLost();
  if (typeof send === 'string') return record(parts, loaded, { type: 'RefuseExecution', failure: send });
  const earlier = await earlierOutcome(parts, loaded, signal);
  if (earlier !== 'failed') return earlier;
  const decidedAt = performance.now();
  const started = await record(parts, loaded, { type: 'StartExecution' });
  if (started === undefined) return undefined;
  const isLate = performance.now() - decidedAt > sendWithinMs || isLost(claim);
  const outcome = isLate ? notSent : await pay(send, signal);
  const ended = await record(parts, started, outcome);
  const ms = Math.round(performance.now() - decidedAt);
  const requestId = loaded.context.metadata.correlationId;
  parts.log.info({ requestId, transferId: loaded.transferId, outcome: outcome.type, ms }, 'paid');
  return ended;
};

/** A process that stops still holds its claim. */
const isLost = ({ throwIfLost }: Held): boolean => {
  try {
    throwIfLost();
    return false;
  } catch (reason) {
    return reason instanceof ClaimLost;
  }
};

const notSent: TransferStep = { type: 'RecordFailure', failure: 'bank_error' };

type Send = (timeout: AbortSignal) => Promise<PaymentState>;

/** What the order needs at the bank, as it is now: accounts and connections may have gone since it was queued. */
const prepare = async (
  { sidesOf, paymentsAt, accessTo }: ExecutionParts,
  { transferId, state: { order, attempt }, owner }: Loaded,
): Promise<Send | FailureCode> => {
  const { source, destination } = await sidesOf(order, owner);
  const payments = paymentsAt(order.institutionId);
  const from = source?.accountNumber ?? null;
  if (from === null || source?.connectionStatus !== 'active' || payments === undefined) return 'connection_unavailable';
  const to = receiverOf(order, destination?.accountNumber ?? null);
  if (to === undefined) return 'invalid_destination';
  const reference = referenceOf(transferId, attempt);
  const payment: PaymentOrder = { reference, fromAccountNumber: from, to, ...paidAs(order) };
  const access = accessTo(order.connectionId, order.institutionId);
  return (timeout) => payments.pay(access, payment, timeout);
};

const receiverOf = ({ destination }: Order, accountNumber: string | null): PaymentOrder['to'] | undefined => {
  if (destination.type === 'external') return { payee: destination.payee };
  return accountNumber === null ? undefined : { accountNumber };
};

const paidAs = ({ amount: { value: amount, currency }, transferType: rail, clientReference, memo }: Order) => ({
  ...{ rail, amount, currency, clientReference, memo },
});

/** Faults with which the bank says that it did not take the order. Every other one leaves open whether it did. */
const notTaken: Partial<Record<BankFaultKind, FailureCode>> = {
  login_refused: 'connection_unavailable',
  insufficient_rights: 'connection_unavailable',
  access_revoked: 'connection_unavailable',
  rate_limited: 'bank_error',
};

const lost: TransferStep = { type: 'RecordLostOutcome' };

const pay = async (send: Send, signal: AbortSignal): Promise<TransferStep> => {
  try {
    const state = await Promise.race([send(AbortSignal.timeout(payTimeoutMs)), lettingGo(signal)]);
    return (state === undefined ? undefined : stepFrom(state)) ?? lost;
  } catch (error) {
    const failure = error instanceof BankFault ? notTaken[error.kind] : undefined;
    return failure === undefined ? lost : { type: 'RecordFailure', failure };
  }
};

const lettingGo = async (signal: AbortSignal): Promise<undefined> => {
  if (!signal.aborted) await once(signal, 'abort');
  return sleep(letGoMs, undefined);
};
