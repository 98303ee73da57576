export type { EntityRow } from './entities/row.ts';
export {
  connectionStatuses,
  provisioningStatuses,
  setupActions,
  setupActors,
  setupStatuses,
} from './connections/row.ts';
export type { ConnectionRow, ConnectionSetup, ConnectionStatus } from './connections/row.ts';
export type { AccountRow } from './accounts/row.ts';
export { transferStatuses } from './transfers/row.ts';
export type { ShownPayee, TransferRow, TransferStatus } from './transfers/row.ts';
export type { WebhookRow } from './webhooks/row.ts';
export { deliveryStatuses } from './webhook-deliveries/row.ts';
export type { DeliveryAttempt, DeliveryStatus, WebhookDeliveryRow } from './webhook-deliveries/row.ts';
export { gatewayRole, ownerRoles, readModelsSchema } from './view.ts';
export type { TableName } from './view.ts';
export { columnNames, snakeCase } from './columns.ts';
export type { Columns, ColumnType } from './columns.ts';
export { entitiesView, entityColumns } from './entities/view.ts';
export { connectionColumns, connectionsView } from './connections/view.ts';
export { accountColumns, accountsView } from './accounts/view.ts';
export { transferColumns, transfersView } from './transfers/view.ts';
export { webhookColumns, webhooksView } from './webhooks/view.ts';
export { webhookDeliveriesView } from './webhook-deliveries/view.ts';
export { transactionsView, transactionVersionsView, transactionViewColumns } from './transactions/view.ts';
export { progressOf, progressView } from './progress.ts';
export type { DatedModel, Progress } from './progress.ts';
export { balancesView, balanceVersionsView } from './balances/view.ts';
export type { Owner, Query } from './query.ts';
export { walkMax } from './page.ts';
export type { JsonPage, JsonRow, PageRead } from './page.ts';
export { fieldNamesOf, fieldsIn } from './field.ts';
export type { Field, FieldShape, FieldType } from './field.ts';
export { transactionFields } from './transactions/fields.ts';
export {
  knownTransaction,
  singleTransaction,
  transactionById,
  transactionHistory,
  transactionSorts,
  transactionsPage,
} from './transactions/queries.ts';
export type { TransactionSort } from './transactions/queries.ts';
export { feedBeginning, feedHead, feedPage } from './transactions/feed.ts';
export { balanceHistory, balancesPage, knownBalance } from './balances/queries.ts';
export { discrepancies } from './balances/discrepancies.ts';
export type { Discrepancy, DiscrepancyFilters } from './balances/discrepancies.ts';
export { balanceFields } from './balances/fields.ts';
export { accountFields } from './accounts/fields.ts';
export { accountById, accountsPage } from './accounts/queries.ts';
export { entitiesPage, entityById } from './entities/queries.ts';
export { connectionById, connectionsOfEntity, connectionsPage } from './connections/queries.ts';
export { transferById, transferMatchedTo, transfersPage } from './transfers/queries.ts';
export { webhookById, webhooksPage } from './webhooks/queries.ts';
export { webhookDeliveriesPage } from './webhook-deliveries/queries.ts';
export { payableAccounts } from './accounts/payable.ts';
export type { OwnedId, PayableAccountRow } from './accounts/payable.ts';
export { accountStatuses, accountTypes } from './accounts/values.ts';
export { transactionRails, transactionStatuses } from './transactions/values.ts';
