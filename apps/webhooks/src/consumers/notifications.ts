import { notificationId, type ConnectionStatusChangedV1, type SyncCompletedV1 } from '@causeway/contracts';
import type { Message } from '@causeway/messaging';
import type { Notification } from '../reactions/deliveries/notify.ts';

/** A sync that changed something → a signal to fetch it. Pure. Undefined: nothing changed, nobody is told. */
export const syncAvailable = ({ id, correlationId, data }: Message<SyncCompletedV1>): Notification | undefined => {
  const { organization, environment, connectionId, entityId, changes, completedAt } = data;
  if (changes === 0) return undefined;
  const type = 'transactions.sync_available';
  const told = { connectionId, entityId, accountId: null };
  const whose = { organization, environment, subject: connectionId };
  return {
    id: notificationId(id, type),
    type,
    createdAt: completedAt,
    data: told,
    correlationId,
    eventId: id,
    ...whose,
  };
};

/** Pure. */
export const statusChanged = ({ id, correlationId, data }: Message<ConnectionStatusChangedV1>): Notification => {
  const { organization, environment, changedAt, ...told } = data;
  const type = 'connection.status_changed';
  const whose = { organization, environment, subject: data.connectionId };
  return { id: notificationId(id, type), type, createdAt: changedAt, data: told, correlationId, eventId: id, ...whose };
};
