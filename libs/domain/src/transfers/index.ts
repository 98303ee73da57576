export { transfer } from './transfer.ts';
export type { Transfer, TransferCommand, TransferRejection, TransferStatus, TransferStep } from './transfer.ts';
export type { Failure, FailureCode, Order, TransferEvent } from './transfer.events.ts';
export { preflight } from './preflight.ts';
export type { Checked, PayableAccount, PreflightRefusal } from './preflight.ts';
