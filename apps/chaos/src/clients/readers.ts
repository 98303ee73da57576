import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../api.ts';
import { count, narrowed, type World } from '../world.ts';

type FeedEvent = Readonly<{ type: string; transaction: Json }>;

/** A row moves only when something of it can be seen to change. */
const isNew = (row: Json, before: Json | undefined): boolean => {
  if (before?.['updatedAt'] === row['updatedAt']) return false;
  return JSON.stringify({ ...before, updatedAt: row['updatedAt'] }) !== JSON.stringify(row);
};

const keyOf = (row: Json): string => `${String(row['updatedAt'])} ${String(row['id'])}`;

/** What a page does to a replica; says what of it breaks the promise of the feed. */
export const applyFeed = (world: Pick<World, 'told'>, events: readonly FeedEvent[], after: string): string => {
  let last = after;
  const { told } = world;
  for (const { type, transaction } of events) {
    const key = keyOf(transaction);
    if (key <= last) told.broken.push(`the feed showed ${key} at or before ${last}`);
    last = key;
    const id = String(transaction['id']);
    const before = told.replica.get(id);
    if (isNew(transaction, before)) {
      told.touched++;
      if (before !== undefined) told.moved.add(id);
    } else if (before?.['updatedAt'] !== transaction['updatedAt']) {
      told.broken.push(`the feed showed ${key}, of which nothing had changed`);
    }
    if (type === 'removed') {
      told.replica.delete(id);
      told.removed.add(id);
    } else {
      told.replica.set(id, transaction);
      told.removed.delete(id);
    }
  }
  return last;
};

/** Follows the feed to its end. Undefined when an answer failed: go on from the same cursor later. */
export const drainFeed = async (world: Omit<World, 'over' | 'reached'>, last: string): Promise<string | undefined> => {
  for (;;) {
    const { feedCursor } = world.told;
    const limit = 1 + world.random.below(500);
    const query = feedCursor === null ? '' : `&cursor=${encodeURIComponent(feedCursor)}`;
    const answer = await world.api.call(`/v1/transactions/sync?limit=${limit}${query}${narrowed(world)}`);
    if (answer?.status !== 200) {
      if (answer !== undefined && answer.status !== 503) world.told.broken.push(`the feed answered ${answer.status}`);
      return undefined;
    }
    last = applyFeed(world, answer.body['events'] as FeedEvent[], last);
    world.told.feedCursor = String(answer.body['nextCursor']);
    count(world, 'feed pages');
    if (answer.body['hasMore'] !== true) return last;
  }
};

/** The last key seen is the cursor's: the promise is checked across pages, kills and restarts. */
export const keepReadingFeed = async (world: World): Promise<void> => {
  let last = '';
  while (!world.over.aborted) {
    last = (await drainFeed(world, last)) ?? last;
    world.reached('feed-page');
    await sleep(world.random.below(200));
  }
};

/** Upserts by (accountId, date) from the watermark on, as the contract says. */
export const drainBalances = async (world: Omit<World, 'over' | 'reached'>): Promise<boolean> => {
  const since = world.told.balancesSince;
  const filter = `updatedAtGte=${encodeURIComponent(since ?? '2000-01-01T00:00:00.000Z')}&limit=${1 + world.random.below(500)}${narrowed(world)}`;
  for (let cursor = ''; ;) {
    const answer = await world.api.call(`/v1/balances?${filter}${cursor}`);
    if (answer?.status !== 200) {
      if (answer !== undefined && answer.status !== 503)
        world.told.broken.push(`the balances answered ${answer.status}`);
      return false;
    }
    for (const row of answer.body['data'] as Json[]) {
      const updatedAt = String(row['updatedAt']);
      if (since !== null && updatedAt < since) world.told.broken.push(`balances showed ${updatedAt} before ${since}`);
      world.told.balances.set(`${String(row['accountId'])} ${String(row['date'])}`, row);
      if (updatedAt > (world.told.balancesSince ?? '')) world.told.balancesSince = updatedAt;
    }
    const page = answer.body['pagination'] as { hasMore: boolean; nextCursor: string };
    if (!page.hasMore) return true;
    cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
};

export const keepReadingBalances = async (world: World): Promise<void> => {
  while (!world.over.aborted) {
    await drainBalances(world);
    count(world, 'balance polls');
    await sleep(100 + world.random.below(400));
  }
};
