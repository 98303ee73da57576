import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../api.ts';
import { count, type World } from '../world.ts';

type Order = Readonly<Record<string, unknown>>;

const acknowledge = (world: World, key: string, order: Order, answer: Answer): void => {
  const known = world.told.transfers.get(key);
  if (answer.status !== 202) {
    world.told.broken.push(`transfer ${key} answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return;
  }
  const id = String(answer.body['id']);
  if (known !== undefined && known.id !== id) world.told.broken.push(`key ${key} made ${known.id} and ${id}`);
  if (known !== undefined && answer.headers.get('idempotent-replayed') !== 'true') {
    world.told.broken.push(`key ${key} was answered twice without saying that the second is a replay`);
  }
  world.told.transfers.set(key, { id, order });
};

/** Moves money between two accounts, repeating a request under its key until it is answered. */
export const keepPaying = async (world: World, from: string, to: string): Promise<void> => {
  while (!world.over.aborted) {
    const key = `chaos-${world.random.uuid()}`;
    const value = `${1 + world.random.below(5)}.${10 + world.random.below(90)}`;
    const order = {
      type: 'internal',
      amount: { currency: 'USD', type: 'money', value },
      sourceAccountId: from,
      destination: { type: 'account', accountId: to },
      clientReference: key.slice(0, 40),
    };
    const request = { method: 'POST', body: order, headers: { 'idempotency-key': key } };
    const first = world.api.insist('/v1/transfers', request, world.over);
    world.reached('transfer-sent');
    const answer = await first;
    if (answer === undefined) return;
    acknowledge(world, key, order, answer);
    world.reached('transfer-acknowledged');
    count(world, 'transfers');
    if (world.random.chance(0.3)) {
      const again = await world.api.insist('/v1/transfers', request, world.over);
      if (again !== undefined) acknowledge(world, key, order, again);
    }
    await sleep(world.random.below(400));
  }
};

/** Now and then the bank's next answer is lost, or comes twice. */
export const keepLosingAnswers = async (world: World, connectionId: string): Promise<void> => {
  while (!world.over.aborted) {
    await world.bank.scenario(connectionId, world.random.pick(['lose-next-answer', 'duplicate-answer']));
    count(world, 'answers lost or doubled');
    await sleep(500 + world.random.below(1500));
  }
};
