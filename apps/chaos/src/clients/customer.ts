import { setTimeout as sleep } from 'node:timers/promises';
import { count, type World } from '../world.ts';

/** A business that is registered and connected; both told to us before this returns. Undefined: it was over before. */
export const connect = async (world: World, institutionId: string): Promise<string | undefined> => {
  const externalEntityId = world.random.uuid();
  const body = { externalEntityId, name: 'Chaos & Sons' };
  const made = await world.api.insist('/v1/entities', { method: 'POST', body }, world.over);
  const entityId = made?.status === 409 ? await existing(world, externalEntityId) : made?.body['entityId'];
  if (typeof entityId !== 'string') return undefined;
  world.told.entities.set(entityId, externalEntityId);

  world.reached('connection-sent');
  const answer = await world.api.insist(
    '/v1/connections',
    { method: 'POST', body: { institutionId, entityId } },
    world.over,
  );
  if (answer === undefined) return undefined;
  const id = answer.body['id'];
  if (typeof id !== 'string') {
    world.told.broken.push(`creating a connection answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return undefined;
  }
  world.told.connections.add(id);
  world.reached('connection-acknowledged');
  count(world, 'connections');
  return id;
};

const listedWithinMs = 10_000;

/** The first try had its effect without an answer: the second is refused as a duplicate, and the list shows the first. */
const existing = async (world: World, externalEntityId: string): Promise<unknown> => {
  for (const deadline = Date.now() + listedWithinMs; Date.now() < deadline; await sleep(100)) {
    const answer = await world.api.insist(`/v1/entities?externalEntityId=${externalEntityId}`, {}, world.over);
    if (answer === undefined) return undefined;
    const [entity] = answer.body['data'] as { entityId: string }[];
    if (entity !== undefined) return entity.entityId;
  }
  world.told.broken.push(`entity ${externalEntityId} is a duplicate of one that is not listed`);
  return undefined;
};
