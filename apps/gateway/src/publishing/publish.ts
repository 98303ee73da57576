import { gatewayEvents, messageOf, organizationCreated } from '@causeway/contracts';
import type { OrganizationEvent } from '@causeway/domain/gateway';
import type { Sequenced } from '@causeway/event-sourcing';
import type { Outgoing } from '@causeway/subscriptions';

/** Our events are private: of keys nothing leaves, and of organizations that they are there. */
export const publish = (event: Sequenced): Outgoing | undefined => {
  if (event.type !== 'OrganizationCreated') return undefined;
  const { data, id, metadata } = event as Sequenced<OrganizationEvent>;
  const causes = { id, correlationId: metadata.correlationId, causationId: id };
  return { topic: gatewayEvents, message: messageOf(organizationCreated, data, causes) };
};
