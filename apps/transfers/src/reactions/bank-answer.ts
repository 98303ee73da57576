import type { PaymentState } from '@causeway/bank-connectors';
import type { Failure, FailureCode, TransferCommand } from '@causeway/domain/transfers';

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

const failureFrom = (code: string, message: string, otherwise: FailureCode): Failure => ({
  code: failureCodes.find((known) => known === code) ?? otherwise,
  message,
});

/** What the bank says of a payment, as a command. Undefined: nothing that ends or moves the transfer yet. */
export const commandFrom = (state: PaymentState, transferId: string, at: string): TransferCommand | undefined => {
  const its = { transferId, at };
  switch (state.status) {
    case 'executed':
      return { type: 'RecordCompletion', ...its, bankReference: state.bankReference };
    case 'awaitingApproval':
      return { type: 'RecordApprovalWait', ...its };
    case 'failed':
      return { type: 'RecordFailure', ...its, failure: failureFrom(state.code, state.message, 'rejected_by_bank') };
    case 'declined':
      return { type: 'RecordDecline', ...its, failure: failureFrom(state.code, state.message, 'approval_declined') };
    case 'returned': {
      const failure = failureFrom(state.code, state.message, 'returned_by_beneficiary');
      return { type: 'RecordReturn', ...its, failure };
    }
    case 'received':
    case 'unknown':
      return undefined;
  }
};
