import { transactionSorts } from '@causeway/read-models';
import { firstPage, worstOf, type Pair } from './depth.bench.ts';
import { takenOnce, type Measurement } from './measurement.ts';
import { percentile } from './percentile.ts';
import { seededId, withReadSides, type ReadSides } from './read-sides.ts';

/** One row in so many has changed since. */
const changedEvery = 10;
const historyVersions = 1000;
const historyReads = 100;

const columns = `id, organization, environment, entity_id, connection_id, account_id, status, rail, sort_date, added_at,
  event_id, removed, cause, json`;

/** What rows were a day before they became what they are; and of one, a long history. Its id. */
const seedVersions = async ({ pool, table, system }: ReadSides): Promise<string> => {
  const versions = table.replace('transactions_v', 'transaction_versions_v');
  await pool.query(
    `INSERT INTO ${versions} (${columns}, updated_at, superseded_at)
     SELECT ${columns}, updated_at - interval '1 day', updated_at FROM ${table}
      WHERE get_byte(uuid_send(id), 15) % ${changedEvery} = 0`,
  );
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM ${table} r WHERE organization = $1 AND NOT EXISTS (SELECT FROM ${versions} v WHERE v.id = r.id) LIMIT 1`,
    [system.organization],
  );
  const id = rows[0]?.id ?? '';
  await pool.query(
    `INSERT INTO ${versions} (${columns}, updated_at, superseded_at)
     SELECT ${columns}, updated_at - n * interval '1 second', updated_at - (n - 1) * interval '1 second'
       FROM ${table}, generate_series(1, ${historyVersions}) n WHERE id = $1`,
    [id],
  );
  await pool.query(`VACUUM ANALYZE ${versions}`);
  return id;
};

const asOfPairs = (sides: ReadSides): readonly Pair[] => {
  const account = { accountId: seededId(sides.system.organization, 'account1') };
  const asOf = new Date().toISOString();
  return transactionSorts.flatMap((sort) =>
    [{}, account].map((filters) => ({
      name: [sort, ...Object.keys(filters)].join(' '),
      page: firstPage(sides, sort, { ...filters, asOf }),
      against: firstPage(sides, sort, filters),
    })),
  );
};

const historyMs = async ({ system, headers }: ReadSides, id: string): Promise<number> => {
  const taken: number[] = [];
  for (let n = 0; n < historyReads; n++) {
    const began = performance.now();
    const answer = await fetch(`${system.baseUrl}/v1/transactions/${id}/history?limit=500`, { headers });
    if (((await answer.json()) as { data: readonly object[] }).data.length !== 500) throw new Error('a short history');
    taken.push(performance.now() - began);
  }
  return percentile(taken, 0.95);
};

const bothFigures = takenOnce(({ rows, pairs, databaseUrl }) =>
  withReadSides({ rows, databaseUrl, hasBaseline: false }, async (sides) => {
    const id = await seedVersions(sides);
    const history: number[] = [];
    for (let pair = 0; pair < pairs; pair++) history.push(await historyMs(sides, id));
    return { page: await worstOf(sides, 'as of', asOfPairs(sides), pairs), history: { ours: history, baseline: null } };
  }),
);

export const asOfBench: Measurement = {
  id: 'as of',
  name: 'a page of transactions as of now, one row in ten changed, against the plain page',
  unit: 'ms',
  target: 5,
  floor: 10,
  lessIsBetter: true,
  run: async (options) => (await bothFigures(options)).page,
};

export const historyBench: Measurement = {
  id: 'history',
  name: `half of a history of ${historyVersions} versions, p95`,
  unit: 'ms',
  target: 200,
  floor: 400,
  lessIsBetter: true,
  run: async (options) => (await bothFigures(options)).history,
};
