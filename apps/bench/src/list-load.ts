import type { Carried, Load } from './load.worker.ts';
import { request, type Bench } from './synced-system.ts';
import { worker } from './worker.ts';

const places = 200;
const warmUpMs = 2000;

/** Pages of 100 rows all over what was synced: after the first row before a day. */
const pagesOf = async ({ system, pool }: Bench): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ day: string }>(
    `SELECT DISTINCT sort_date::text AS day FROM read_models.transactions_v1
      WHERE sort_date < 'infinity' ORDER BY day OFFSET 10`,
  );
  const urls: string[] = [];
  for (let place = 0; place < places; place++) {
    // In an order that jumps.
    const { day } = rows[(place * 617) % rows.length] ?? { day: '' };
    const path = `/v1/transactions?postedDateLt=${day}`;
    const { pagination } = await request(system, 'GET', `${path}&limit=1`);
    const { nextCursor } = pagination as { nextCursor: string };
    urls.push(`${system.baseUrl}${path}&limit=100&cursor=${nextCursor}`);
  }
  return urls;
};

export type ListLoad = Readonly<{ urls: readonly string[]; headers: Readonly<Record<string, string>> }>;

/** Clients in processes of their own, by their loads; each warmed up. */
export const withClients = async <T>(
  bench: Bench,
  work: (clients: Readonly<{ lists: ListLoad; carry(...loads: readonly Load[]): Promise<Carried[]> }>) => Promise<T>,
): Promise<T> => {
  const headers = { authorization: `Bearer ${bench.system.testKey}` };
  const workers = [worker('load'), worker('load')];
  const carry = (...loads: readonly Load[]): Promise<Carried[]> =>
    Promise.all(
      loads.map((load, n) => {
        const { child, reply } = workers[n] as (typeof workers)[0];
        child.send(load);
        return reply<Carried>();
      }),
    );
  try {
    const lists = { urls: await pagesOf(bench), headers };
    await carry({ kind: 'rate', ...lists, clients: 1, ms: warmUpMs });
    return await work({ lists, carry });
  } finally {
    for (const { child } of workers) child.disconnect();
  }
};
