import { keyUsabilityAround } from '@causeway/api-keys';
import { keyUsability, organizationCreated } from '@causeway/contracts';
import { keyIdOf, type OrganizationEvent } from '@causeway/domain/gateway';
import type { Sequenced } from '@causeway/event-sourcing';
import type { Pool } from '@causeway/postgres';
import type { Projector } from '@causeway/projections';
import { outgoing } from '@causeway/service';
import type { Outgoing } from '@causeway/subscriptions';
import { apiKeys } from '../projections/api-keys/api-keys.ts';

export type KnownKeys = Readonly<{ pool: Pool; readModels: Pick<Projector, 'passed'> }>;

/** Above what the projection takes; then the event is tried again. */
const projectedWithinMs = 5000;

/** As the keys are now, which is this event or later: the last message told is right, however often one is repeated. */
const usabilityAfter = async ({ pool, readModels }: KnownKeys, { position }: Sequenced, keyId: string) => {
  if (await readModels.passed(apiKeys.name, position, projectedWithinMs)) return keyUsabilityAround(pool, keyId);
  throw new Error(`the read model of keys has not come to position ${position}`);
};

/** Our events are private: of organizations leaves that they are there, and until when they have a key; of keys nothing. */
export const publishing =
  (keys: KnownKeys) =>
  async (event: Sequenced): Promise<Outgoing | undefined> => {
    if (event.type === 'OrganizationCreated') {
      return outgoing(event, organizationCreated, (event as Sequenced<OrganizationEvent>).data);
    }
    const keyId = keyIdOf(event.stream);
    const usability = keyId === undefined ? undefined : await usabilityAfter(keys, event, keyId);
    return usability && outgoing(event, keyUsability, { ...usability, position: event.position });
  };
