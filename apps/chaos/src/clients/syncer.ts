import { setTimeout as sleep } from 'node:timers/promises';
import { count, type World } from '../world.ts';

const scenarios: readonly (readonly [string, object])[] = [
  ['new-transactions', { count: 3 }],
  ['post-pending', {}],
  ['post-pending', { amountChanges: true }],
  ['restate-transaction', {}],
  ['withdraw-transaction', {}],
  ['reverse-transaction', {}],
  ['late-posting', {}],
  ['restate-balance', {}],
  ['reissue-ids', {}],
  ['missing-ids', {}],
];

/** Rare: an order that meets it takes half a minute until it is certain that the bank never saw it. */
const downChance = 0.01;

/** Lets things happen at the bank, and asks for them. */
export const keepSyncing = async (world: World, connectionId: string): Promise<void> => {
  while (!world.over.aborted && world.told.connections.has(connectionId)) {
    if (world.random.chance(0.6)) {
      const [scenario, body] = world.random.pick(scenarios);
      await world.bank.scenario(connectionId, scenario, body);
      count(world, 'changes at the bank');
    }
    if (world.random.chance(downChance)) await world.bank.scenario(connectionId, 'down', { seconds: 1 });
    world.reached('sync-sent');
    const answer = await world.api.call(`/v1/connections/${connectionId}/sync`, { method: 'PUT' });
    if (answer?.status === 202) {
      world.reached('sync-acknowledged');
      count(world, 'syncs');
    } else if (answer?.status === 409) {
      count(world, 'syncs refused as one runs');
    } else if (answer !== undefined && ![429, 503].includes(answer.status)) {
      world.told.broken.push(`sync of ${connectionId} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    await sleep(100 + world.random.below(500));
  }
};
