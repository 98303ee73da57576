import { rowSelectList } from '../columns.ts';
import type { Paging } from '../newest-first.ts';
import { rowPage } from '../page.ts';
import { equals, holds, ownedBy, type Owner, type Query } from '../query.ts';
import type { DeliveryStatus } from './row.ts';
import { webhookDeliveryColumns } from './view.ts';

type Filter = Readonly<{ webhookId: string; status: DeliveryStatus | undefined }>;

/** Newest first. */
export const webhookDeliveriesPage = (owner: Owner, { webhookId, status }: Filter, paging: Paging): Query =>
  rowPage(
    {
      view: 'read_models.webhook_deliveries_v1',
      conditions: [
        ...[...ownedBy(owner), equals('webhook_id', 'uuid', webhookId), equals('status', 'text', status)],
        // The few among the many that were delivered have an index of their own.
        ...(status === undefined || status === 'delivered' ? [] : [holds(`status <> 'delivered'`)]),
      ],
      order: [
        { column: 'created_at', type: 'timestamptz', descending: true },
        { column: 'event_id', type: 'text', descending: true },
      ],
      ...paging,
    },
    rowSelectList(webhookDeliveryColumns),
  );
