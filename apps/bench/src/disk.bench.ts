import type { Measurement } from './measurement.ts';
import { newConnection, onSystem, untilSynced } from './synced-system.ts';

/** P18. Every table with its indexes and what is stored beside it, after a first sync; PostgreSQL's log is not in it. */
export const diskBench: Measurement = {
  id: 'P18',
  name: 'disk of a synced transaction: events, evidence, identity, read model, indexes',
  unit: 'bytes',
  target: 1800,
  floor: 3000,
  lessIsBetter: true,
  run: ({ rows, databaseUrl }) =>
    onSystem({ rows, serverUrl: databaseUrl, name: 'bench_disk' }, async ({ system, pool }) => {
      await untilSynced(system, await newConnection(system, 'sandbox-large'), undefined);
      const sizes = await pool.query<{ name: string; bytes: number; total: number }>(
        `SELECT oid::regclass::text AS name, bytes, sum(bytes) OVER ()::int8 AS total
           FROM pg_class, LATERAL (SELECT pg_total_relation_size(oid) AS bytes) AS size
          WHERE relkind IN ('r', 'm') AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
          ORDER BY bytes DESC`,
      );
      const visible = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM read_models.transactions_v1');
      const transactions = visible.rows[0]?.n ?? 0;
      const largest = sizes.rows.slice(0, 6).map(({ name, bytes }) => `${name} ${Math.round(bytes / transactions)}`);
      process.stderr.write(`P18: ${largest.join(', ')} bytes\n`);
      return { ours: [(sizes.rows[0]?.total ?? 0) / transactions], baseline: null, rows: transactions };
    }),
};
