import type { EntityEvent } from '@causeway/domain/connections';
import type { StreamName } from '@causeway/event-sourcing';
import { eraseParking, passedByAll } from '@causeway/projections';
import { ownContext } from '@causeway/service';
import type { Claim, Outcome } from '@causeway/work-queue';
import type { Commands } from '../commands/commands.ts';
import { entityName } from '../commands/create-entity.ts';
import { deleteConnectionsOf } from '../commands/delete-entity.ts';
import { schema } from '../migrations.ts';

/** Rows that nobody sees, of a rebuild or from before one, may not have seen the deletion: its events stay until they have. */
const passedMaxMs = 5000;
const rebuildLookMs = 60_000;

/** Carries the deletion of an entity through: its connections, its name, its stream. Each step may have been done before. */
export const entityErasureWork =
  (commands: Commands) =>
  async ({ id: entityId, organization, environment }: Claim): Promise<Outcome> => {
    const { store, pool, names, now, untilHidden } = commands;
    const stream: StreamName = `entity-${entityId}`;
    const context = ownContext({ organization, environment });
    await deleteConnectionsOf(commands, { organization, entityId }, context);
    const history = await store.readStream<EntityEvent>(stream);
    for (const { type, data } of history) {
      if (type !== 'EntityDeleted') continue;
      await names.release(entityName(organization, data.externalEntityId), entityId, now(), context);
    }
    await untilHidden(stream);
    const isPassed = await passedByAll(pool, { schema, name: 'entities' }, await store.head(), passedMaxMs);
    if (!isPassed) return { againInMs: rebuildLookMs };
    await store.eraseStream(stream);
    await eraseParking({ pool, store }, schema, stream);
    return 'done';
  };
