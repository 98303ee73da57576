import { newestFirst, single, type Model, type Paging } from '../newest-first.ts';
import { equals, ownedBy, type Owner, type Query } from '../query.ts';
import type { WebhookRow } from './row.ts';
import { webhookColumns } from './view.ts';

const model: Model<WebhookRow> = { view: 'read_models.webhooks_v1', columns: webhookColumns, idColumn: 'id' };

export const webhooksPage = (owner: Owner, paging: Paging): Query => newestFirst(model, ownedBy(owner), paging);

export const webhookById = (owner: Owner, id: string): Query =>
  single(model, [equals('id', 'uuid', id), ...ownedBy(owner)]);
