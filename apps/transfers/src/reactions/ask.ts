import { BankFault, type PaymentState } from '@causeway/bank-connectors';
import { commandFrom } from './bank-answer.ts';
import { loadTransfer, type ExecutionParts, type Loaded } from './execute.ts';
import type { OpenTransfer } from './open-transfers.ts';

const askTimeoutMs = 10_000;
const firstPauseMs = 1000;
const pauseMaxMs = 5 * 60_000;

/** What this process remembers of asking about one transfer. Times are of a clock that no one sets. */
type Asking = { asked: number; nextAt: number; deniedSince: number | undefined };

/**
 * Asks the bank what became of orders whose outcome is not known: at once, and then ever less often. An order is never
 * sent again. What the bank denies having seen for `deniedMs` has failed: it left within 5 s of its decision or not at
 * all, and its sender hung up 8 s later, so by then it will not arrive any more.
 */
export const asker = (parts: ExecutionParts, deniedMs: number) => {
  const open = new Map<string, Asking>();
  return async ({ transferId }: OpenTransfer): Promise<void> => {
    const now = performance.now();
    const asking = open.get(transferId) ?? { asked: 0, nextAt: now, deniedSince: undefined };
    if (now < asking.nextAt) return;
    open.set(transferId, asking);
    asking.nextAt = now + Math.min(firstPauseMs * 2 ** Math.min(asking.asked++, 20), pauseMaxMs);
    const loaded = await loadTransfer(parts.store, transferId);
    if (loaded === undefined || (await isAnswered(parts, { loaded, transferId, asking, deniedMs }))) {
      open.delete(transferId);
    }
  };
};

type Question = Readonly<{ loaded: Loaded; transferId: string; asking: Asking; deniedMs: number }>;

const isAnswered = async (parts: ExecutionParts, question: Question): Promise<boolean> => {
  const { loaded, transferId, asking, deniedMs } = question;
  const { status, context } = loaded;
  if (status !== 'unknown' && status !== 'pending_bank_approval') return true;
  const state = await ask(parts, loaded, transferId);
  if (state?.status === 'unknown') asking.deniedSince ??= performance.now();
  else if (state !== undefined) asking.deniedSince = undefined;
  const at = parts.now();
  const denied = asking.deniedSince !== undefined && performance.now() - asking.deniedSince >= deniedMs;
  const failure = { code: 'bank_error', message: 'The order never reached the bank.' } as const;
  const command = denied
    ? ({ type: 'RecordFailure', transferId, at, failure } as const)
    : state && commandFrom(state, transferId, at);
  if (command === undefined) return false;
  await parts.aggregates.transfer(command, context);
  return command.type !== 'RecordApprovalWait';
};

/** Undefined: the bank gave no answer this time. */
const ask = async (
  { paymentsAt, accessTo }: ExecutionParts,
  { order: { connectionId, institutionId } }: Loaded,
  reference: string,
): Promise<PaymentState | undefined> => {
  const payments = paymentsAt(institutionId);
  if (payments === undefined) return undefined;
  try {
    return await payments.stateOf(accessTo(connectionId, institutionId), reference, AbortSignal.timeout(askTimeoutMs));
  } catch (error) {
    if (error instanceof BankFault) return undefined;
    throw error;
  }
};
