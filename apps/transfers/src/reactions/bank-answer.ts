import type { PaymentState } from '@causeway/bank-connectors';
import type { FailureCode, TransferStep } from '@causeway/domain/transfers';

const failureCodes: readonly FailureCode[] = [
  'insufficient_funds',
  'account_closed',
  'invalid_destination',
  'limit_exceeded',
  'rejected_by_bank',
  'approval_declined',
  'approval_expired',
  'returned_by_beneficiary',
];

const failureFrom = (code: string, otherwise: FailureCode): FailureCode =>
  failureCodes.find((known) => known === code) ?? otherwise;

/** What the bank says of a payment, as a step. Undefined: nothing that ends or moves the transfer yet. */
export const stepFrom = (state: PaymentState): TransferStep | undefined => {
  switch (state.status) {
    case 'executed':
      return { type: 'RecordCompletion' };
    case 'awaitingApproval':
      return { type: 'RecordApprovalWait' };
    case 'failed':
      return { type: 'RecordFailure', failure: failureFrom(state.code, 'rejected_by_bank') };
    case 'declined':
      return { type: 'RecordDecline', failure: failureFrom(state.code, 'approval_declined') };
    case 'returned':
      return { type: 'RecordReturn', failure: failureFrom(state.code, 'returned_by_beneficiary') };
    case 'received':
    case 'unknown':
      return undefined;
  }
};
