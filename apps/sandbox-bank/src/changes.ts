import type { Day } from './calendar.ts';
import type { Cents } from './money.ts';
import type { InstitutionId } from './world/institutions.ts';
import type { Row } from './world/row.ts';

export type PaymentStatus = 'received' | 'awaitingApproval' | 'executed' | 'declined' | 'failed' | 'returned';

/** Who is paid at another bank, as far as a statement shows it: of the account no more than its last four characters. */
export type Beneficiary = Readonly<{ name: string; accountEnd: string | null }>;

/** It goes to an account of the same customer, or to a beneficiary. */
export type Instruction = Readonly<{
  reference: string;
  rail: string;
  amount: string;
  currency: string;
  fromAccountNumber: string;
  toAccountNumber: string | null;
  beneficiary: Beneficiary | null;
  clientReference: string | null;
  memo: string | null;
}>;

/** An instruction as it came, and what became of it. `failure` is set for declined, failed and returned ones. */
export type Payment = Instruction &
  Readonly<{
    status: PaymentStatus;
    receivedAt: string;
    executedAt: string | null;
    bankReference: string | null;
    failure: Readonly<{ code: string; message: string }> | null;
  }>;

/** Whether a customer's login is accepted; `withdrawn` is for good. */
export type Access = 'open' | 'lapsed' | 'withdrawn';

type OfAccount = Readonly<{ connectionId: string; accountNumber: string }>;
type OfConnection = Readonly<{ connectionId: string }>;

/**
 * What can have happened at the bank. The journal is a list of these and the bank's only memory: add a case, or a
 * field that may be missing; never change one.
 */
export type Change =
  | Readonly<{ type: 'clockAdvanced'; byMs: number }>
  /** `seed`, `largeRows` and `day` are kept with the customer: other settings later do not change its past. */
  | (OfConnection &
      Readonly<{
        type: 'customerOpened';
        institutionId: InstitutionId;
        seed: number;
        largeRows: number;
        day: Day;
      }>)
  | (OfAccount & Readonly<{ type: 'rowsBooked'; rows: readonly Row[] }>)
  | (OfAccount & Readonly<{ type: 'pendingPosted'; row: Row }>)
  | (OfAccount & Readonly<{ type: 'pendingVanished'; key: string }>)
  | (OfAccount & Readonly<{ type: 'rowRestated'; row: Row }>)
  | (OfAccount & Readonly<{ type: 'rowWithdrawn'; key: string; day: Day }>)
  | (OfAccount & Readonly<{ type: 'closingRestated'; day: Day; by: Cents }>)
  | (OfAccount & Readonly<{ type: 'idsReissued' | 'idsWithheld' }>)
  | (OfConnection & Readonly<{ type: 'outageBegan'; kind: 'down' | 'slow' | 'limited'; untilMs: number }>)
  | (OfConnection & Readonly<{ type: 'accessChanged'; access: Access }>)
  | (OfConnection & Readonly<{ type: 'nextAnswerFated'; fate: 'lost' | 'twice' }>)
  | (OfConnection & Readonly<{ type: 'nextPaymentFails'; code: string }>)
  | (OfConnection & Readonly<{ type: 'paymentTaken'; payment: Payment }>)
  | (OfConnection & Readonly<{ type: 'paymentJudged'; payment: Payment }>)
  | (OfConnection & Readonly<{ type: 'paymentReturned'; payment: Payment }>);

/** One line of the journal: what one decision changed, all of it or nothing. */
export type JournalRecord = Readonly<{ atMs: number; changes: readonly Change[] }>;
