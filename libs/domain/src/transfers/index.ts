export { transfer } from './transfer.ts';
export type { Transfer, TransferStatus, TransferStep } from './transfer.ts';
export { failureMessages } from './transfer.events.ts';
export type { FailureCode, Order, TransferEvent } from './transfer.events.ts';
export { preflight } from './preflight.ts';
export type { PreflightRefusal } from './preflight.ts';
