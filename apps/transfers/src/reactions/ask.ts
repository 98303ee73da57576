import { BankFault, type PaymentState } from '@causeway/bank-connectors';
import { referenceOf } from '@causeway/domain/transfers';
import { stepFrom } from './bank-answer.ts';
import { record, type ExecutionParts, type Loaded } from './load.ts';

const askTimeoutMs = 10_000;

/**
 * Asks the bank what became of an order whose outcome is not known. An order is never sent again. What the bank denies
 * having seen `deniedMs` after its outcome was lost has failed: it left within 5 s of its decision or not at all, and its
 * sender hung up 8 s later, so by then it will not arrive any more.
 */
export const ask = async (
  parts: ExecutionParts,
  loaded: Loaded,
  deniedMs: number,
  signal: AbortSignal,
): Promise<Loaded | undefined> => {
  const { status, lostAt, declared } = loaded.state;
  if (status === 'unknown' && lostAt !== null && lostAt > parts.now()) {
    return record(parts, loaded, { type: 'RecordLostOutcome' });
  }
  const said = await answerOf(parts, loaded, loaded.state.attempt, signal);
  if (declared !== null && (said === undefined || said.status === 'unknown')) return believeOperator(parts, loaded);
  // The bank has the order at work: what was declared of it counts no more.
  if (declared !== null && said?.status === 'received') return record(parts, loaded, { type: 'RecordLostOutcome' });
  if (said === undefined) return loaded;
  const isDenied = said.status === 'unknown' && status === 'unknown' && ageMs(parts, lostAt) >= deniedMs;
  const step = isDenied ? neverArrived : stepFrom(said);
  return step === undefined ? loaded : record(parts, loaded, step);
};

const believeOperator = (parts: ExecutionParts, loaded: Loaded): Promise<Loaded | undefined> => {
  const metadata = {
    ...loaded.context.metadata,
    causationId: loaded.declaredBy ?? loaded.context.metadata.causationId,
  };
  return record(parts, { ...loaded, context: { metadata } }, { type: 'RecordSilence' });
};

const neverArrived = { type: 'RecordFailure', failure: 'bank_error' } as const;

/** A time that is ahead of the clock counts as now. */
export const ageMs = ({ now }: Pick<ExecutionParts, 'now'>, at: string | null): number =>
  at === null ? 0 : Math.max(0, Date.parse(now()) - Date.parse(at));

/**
 * What the bank says of the attempts before this one, which were given up without its word or with it. `failed`: it has
 * paid none of them and will not, so the order may be sent anew. Else the transfer as it is after what the bank said, or as
 * it was: then the bank is asked again later.
 */
export const earlierOutcome = async (
  parts: ExecutionParts,
  loaded: Loaded,
  signal: AbortSignal,
): Promise<'failed' | Loaded | undefined> => {
  for (let attempt = 0; attempt < loaded.state.attempt; attempt++) {
    const said = await answerOf(parts, loaded, attempt, signal);
    if (said?.status === 'unknown' || said?.status === 'failed' || said?.status === 'declined') continue;
    const step = said && stepFrom(said);
    const isPaid = step?.type === 'RecordCompletion' || step?.type === 'RecordReturn';
    return isPaid ? record(parts, loaded, step, attempt) : loaded;
  }
  return 'failed';
};

/** Undefined: the bank gave no answer this time. */
const answerOf = async (
  { paymentsAt, accessTo }: ExecutionParts,
  { transferId, state: { order } }: Loaded,
  attempt: number,
  signal: AbortSignal,
): Promise<PaymentState | undefined> => {
  const payments = paymentsAt(order.institutionId);
  const until = AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]);
  try {
    return await payments?.stateOf(
      accessTo(order.connectionId, order.institutionId),
      referenceOf(transferId, attempt),
      until,
    );
  } catch (error) {
    if (error instanceof BankFault || until.aborted) return undefined;
    throw error;
  }
};
