export type { EntityRow } from './entities/row.ts';
export { connectionStatuses } from './connections/row.ts';
export type { ConnectionRow, ConnectionStatus } from './connections/row.ts';
export type { AccountRow } from './accounts/row.ts';
export { transferStatuses } from './transfers/row.ts';
export type { TransferRow, TransferStatus } from './transfers/row.ts';
export type { WebhookRow } from './webhooks/row.ts';
