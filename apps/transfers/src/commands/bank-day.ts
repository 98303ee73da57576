import { BankFault, type BankDay } from '@causeway/bank-connectors';
import type { Order } from '@causeway/domain/transfers';
import type { AccessTo, PaymentsAt } from './payments.ts';

export type Calendar = Readonly<{ paymentsAt: PaymentsAt; accessTo: AccessTo; now(): string }>;

/** A bank that does not say in time has no other day than we have. */
const answerWithinMs = 2000;

/** The bank's day where it can be told; undefined: it gave no answer. */
export const dayAt = async (
  { paymentsAt, accessTo }: Calendar,
  { connectionId, institutionId }: Order,
): Promise<BankDay | undefined> => {
  const until = AbortSignal.timeout(answerWithinMs);
  try {
    return await paymentsAt(institutionId)?.day(accessTo(connectionId, institutionId), until);
  } catch (error) {
    if (error instanceof BankFault || until.aborted) return undefined;
    throw error;
  }
};

export const todayAt = async (calendar: Calendar, order: Order): Promise<string> =>
  (await dayAt(calendar, order))?.today ?? calendar.now().slice(0, 10);
