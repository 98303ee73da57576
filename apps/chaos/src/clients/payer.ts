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

const internalTo = (to: string): Order => ({ type: 'internal', destination: { type: 'account', accountId: to } });

const external: Order = {
  type: 'external',
  transferType: 'wire',
  destination: {
    type: 'external',
    name: 'Acme Supplies',
    paymentIdentifier: {
      ...{ scheme: 'us_wire', countryCode: 'US', currency: 'USD' },
      details: { accountNumber: '990123456788', routingNumber: '021000021' },
    },
  },
};

/** Moves money to another account and to others, repeating a request under its key until it is answered. */
export const keepPaying = async (world: World, from: string, to: string): Promise<void> => {
  while (!world.over.aborted) {
    const key = `chaos-${world.random.uuid()}`;
    const value = `${1 + world.random.below(5)}.${10 + world.random.below(90)}`;
    const order = {
      ...(world.random.chance(0.4) ? external : internalTo(to)),
      amount: { currency: 'USD', type: 'money', value },
      sourceAccountId: from,
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

/** Whoever approves payments to others: most of them, in the order in which they came to the bank. */
export const decideAll = async ({ bank, told, random }: Pick<World, 'bank' | 'told' | 'random'>): Promise<number> => {
  const truths = await Promise.all([...told.connections].map((id) => bank.truth(id)));
  const waiting = truths.flatMap(({ payments }) => payments.filter(({ status }) => status === 'awaitingApproval'));
  for (const { reference } of waiting) await bank.decide(reference, random.chance(0.8) ? 'approve' : 'decline');
  return waiting.length;
};

export const keepApproving = async (world: World): Promise<void> => {
  while (!world.over.aborted) {
    // The bank may be away, too.
    const decided = await decideAll(world).catch(() => 0);
    for (let n = 0; n < decided; n++) count(world, 'payments approved or declined');
    await sleep(300 + world.random.below(700));
  }
};
