import type { Type } from '@nestjs/common';
import { AccountsController } from './accounts/accounts.controller.ts';
import { BalancesController } from './balances/balances.controller.ts';
import { ConnectionsController } from './connections/connections.controller.ts';
import { DocsController } from './docs/docs.controller.ts';
import { EntitiesController } from './entities/entities.controller.ts';
import { HealthController } from './health/health.controller.ts';
import { InstitutionsController } from './institutions/institutions.controller.ts';
import { OauthController } from './oauth/oauth.controller.ts';
import { OpenapiController } from './openapi/openapi.controller.ts';
import { TransactionsController } from './transactions/transactions.controller.ts';
import { TransfersController } from './transfers/transfers.controller.ts';
import { WebhookDeliveriesController } from './webhooks/deliveries.controller.ts';
import { WebhooksController } from './webhooks/webhooks.controller.ts';

/** Everything that is served, in the order of the document. */
export const controllers: readonly Type[] = [
  ...[EntitiesController, InstitutionsController, ConnectionsController, AccountsController, TransactionsController],
  ...[BalancesController, TransfersController, WebhooksController, WebhookDeliveriesController],
  ...[OauthController, HealthController, OpenapiController, DocsController],
];
