export { referenceOf, transferOf } from './reference.ts';
export { transfer } from './transfer.ts';
export type {
  StatementRow,
  Transfer,
  TransferCommand,
  TransferRejection,
  TransferStatus,
  TransferStep,
} from './transfer.state.ts';
export { failureMessages } from './transfer.events.ts';
export type { ByOperator, DeclaredOutcome, FailureCode, Order, TransferEvent } from './transfer.events.ts';
export { preflight } from './preflight.ts';
export type { PreflightRefusal } from './preflight.ts';
export { faultsOf, maskedPayee, normalPayee } from './payee.ts';
export type { Fault, Payee } from './payee.ts';
export { schemes } from './schemes.ts';
export type { Scheme } from './schemes.ts';
export type { TransferType } from './transfer-type.ts';
