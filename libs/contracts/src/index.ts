export { messageOf } from './contract.ts';
export type { CommandContract, Environment, EventContract, Scope } from './contract.ts';
export { gatewayEvents, keyUsability, organizationCreated } from './gateway.ts';
export type { KeyUsabilityV1, OrganizationCreatedV1 } from './gateway.ts';
export { createEntity, deleteEntity, updateEntity } from './entities.ts';
export type { CreateEntityV1, DeletedEntityV1, DeleteEntityV1, EntityV1, UpdateEntityV1 } from './entities.ts';
export {
  completeSetup,
  connectionDeleted,
  connectionErased,
  connectionsCommands,
  connectionsEvents,
  connectionsStatements,
  connectionStatusChanged,
  contextOfPart,
  createConnection,
  deleteConnection,
  getSealingKey,
  statementPart,
  storeCredentials,
  syncCompleted,
  syncConnection,
  syncFetched,
} from './connections.ts';
export type {
  ConnectionAnswerV1,
  ConnectionDeletedV1,
  ConnectionErasedV1,
  ConnectionRefV1,
  ConnectionStatusChangedV1,
  ConnectionV1,
  CreateConnectionV1,
  CreatedConnectionV1,
  CredentialsV1,
  DeletedConnectionV1,
  SealedCredentials,
  SetupV1,
  StatementPartV1,
  StoreCredentialsV1,
  SyncCompletedV1,
  SyncFetchedV1,
} from './connections.ts';
export {
  eraseConnection,
  ledgerCommands,
  ledgerEvents,
  paymentsBooked,
  statementBooked,
  statementProgress,
  statementSetAside,
} from './ledger.ts';
export type { PaymentsBookedV1, StatementBookedV1, StatementProgressV1, StatementSetAsideV1 } from './ledger.ts';
export {
  cancelTransfer,
  createTransfer,
  externalTransferTypes,
  getPayeeKey,
  paymentSchemes,
  retryTransfer,
  transfersCommands,
} from './transfers.ts';
export type {
  AcceptedTransferV1,
  ChangeTransferV1,
  CreateTransferV1,
  PayeeKeyV1,
  PayeeV1,
  PaymentScheme,
  SealedPayee,
  TransferTypeV1,
  TransferV1,
} from './transfers.ts';
export {
  deleteWebhook,
  redeliverEvent,
  redeliverSince,
  registerWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  webhookEventTypes,
  webhooksCommands,
} from './webhooks.ts';
export type {
  RedeliveryV1,
  RegisterWebhookV1,
  RevealedWebhookV1,
  RotateWebhookSecretV1,
  UpdateWebhookV1,
  WebhookEventType,
  WebhookRefV1,
  WebhookV1,
} from './webhooks.ts';
export { topics } from './topics.ts';
export { derivedKey, oneTimeKey, openSealed, publicKeyOf, sealedTo } from './sealed.ts';
export type { PublicKeyText } from './sealed.ts';
export type { Count, Day, Timestamp, Uuid } from './values.ts';
export { notificationId } from './notification-id.ts';
