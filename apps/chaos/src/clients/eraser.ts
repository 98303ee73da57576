import { setTimeout as sleep } from 'node:timers/promises';
import { count, type World } from '../world.ts';
import { connect } from './customer.ts';

/** Connects, lets some data come, and deletes; a 404 on a repeat says that an unanswered try had its effect. */
export const keepErasing = async (world: World): Promise<void> => {
  while (!world.over.aborted) {
    const id = await connect(world, 'sandbox-instant');
    if (id === undefined) return;
    await sleep(world.random.below(2500));
    world.reached('delete-sent');
    const answer = await world.api.insist(`/v1/connections/${id}`, { method: 'DELETE' }, world.over);
    world.told.connections.delete(id);
    if (answer === undefined) {
      world.told.doubtful.add(id);
      return;
    }
    if (answer.status !== 200 && answer.status !== 404) {
      world.told.broken.push(`deleting ${id} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    world.told.erased.add(id);
    world.reached('delete-acknowledged');
    count(world, 'erasures');
    await mustBeGone(world, id);
    await sleep(world.random.below(1500));
  }
};

const mustBeGone = async (world: World, id: string): Promise<void> => {
  const accounts = await world.api.call(`/v1/accounts?connectionId=${id}`);
  const rows = await world.api.call(`/v1/transactions?connectionId=${id}`);
  for (const answer of [accounts, rows]) {
    if (answer?.status === 200 && (answer.body['data'] as unknown[]).length > 0) {
      world.told.broken.push(`connection ${id} was deleted and still shows rows`);
    }
  }
};
