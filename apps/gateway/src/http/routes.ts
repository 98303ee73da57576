import type { Route } from './edge/route.ts';
import { getAccount, listAccounts } from './accounts/accounts.routes.ts';
import { listBalances } from './balances/balances.routes.ts';
import {
  createConnectionRoute,
  deleteConnectionRoute,
  getConnection,
  listConnections,
  syncConnectionRoute,
} from './connections/connections.routes.ts';
import { createEntityRoute, getEntity, listEntities } from './entities/entities.routes.ts';
import { getInstitution, listInstitutions } from './institutions/institutions.routes.ts';
import { getTransaction, listTransactions, syncTransactions } from './transactions/transactions.routes.ts';
import { createTransferRoute, getTransfer, listTransfers } from './transfers/transfers.routes.ts';
import {
  createWebhook,
  deleteWebhookRoute,
  getWebhook,
  listWebhooks,
  testWebhookRoute,
} from './webhooks/webhooks.routes.ts';

/** Every route served under /v1. */
export const routes: readonly Route[] = [
  ...[createEntityRoute, listEntities, getEntity],
  ...[listInstitutions, getInstitution],
  ...[createConnectionRoute, listConnections, getConnection, syncConnectionRoute, deleteConnectionRoute],
  ...[listAccounts, getAccount],
  ...[listTransactions, syncTransactions, getTransaction],
  ...[listBalances],
  ...[createTransferRoute, listTransfers, getTransfer],
  ...[createWebhook, listWebhooks, getWebhook, deleteWebhookRoute, testWebhookRoute],
] as readonly Route[];
