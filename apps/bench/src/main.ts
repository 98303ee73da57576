import { openPool, startCluster } from '@causeway/postgres';
import { Command, InvalidArgumentError } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendBench } from './append.bench.ts';
import { ingestBench, resyncBench } from './ingest.bench.ts';
import { listReadsBench } from './list-reads.bench.ts';
import type { Measurement } from './measurement.ts';
import { pageCostBench } from './page-cost.bench.ts';
import { replayBench } from './replay.bench.ts';
import { resultOf, type Result } from './result.ts';
import { syncDrainBench } from './sync-drain.bench.ts';

const measurements: readonly Measurement[] = [
  listReadsBench,
  syncDrainBench,
  ingestBench,
  resyncBench,
  appendBench,
  replayBench,
  pageCostBench,
];

const positive = (written: string): number => {
  if (!/^[1-9]\d*$/.test(written)) throw new InvalidArgumentError('Not a whole number above 0.');
  return Number(written);
};

const program = new Command('bench')
  .description('Measures against hand-written baselines on the same machine, in the same run')
  .option('--only <ids>', 'these alone, separated by commas')
  .option('--rows <n>', 'rows to work on', positive, 1_000_000)
  .option('--pairs <n>', 'times that both sides are taken', positive, 5)
  .option('--json <file>', 'write the results here')
  .parse();
const options = program.opts<{ only?: string; rows: number; pairs: number; json?: string }>();

const wanted = options.only?.split(',').map((id) => id.trim());
const unknown = wanted?.filter((id) => !measurements.some((one) => one.id === id)) ?? [];
if (unknown.length > 0) program.error(`unknown: ${unknown.join(', ')}`, { exitCode: 2 });

const dataDir = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
const cluster = await startCluster({ dataDir, settings: { max_wal_size: '8GB' } });
const results: Result[] = [];
try {
  const admin = openPool({ url: cluster.url, applicationName: 'bench', connectionsMax: 1 });
  for (const measurement of measurements.filter(({ id }) => wanted?.includes(id) ?? true)) {
    const name = `bench_${results.length}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(cluster.url);
    url.pathname = `/${name}`;
    const { rows, pairs } = options;
    const taken = await measurement.run({ rows, pairs, databaseUrl: url.href });
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    const result = resultOf(measurement, taken, rows);
    results.push(result);
    console.log(
      `${result.id.padEnd(4)} ${result.ratio.toFixed(2).padStart(7)} ${result.holds ? 'holds ' : 'MISSED'} ` +
        `(${measurement.lessIsBetter ? '<=' : '>='} ${result.target}) ${result.name}: ` +
        `${Math.round(result.ours)} against ${Math.round(result.baseline)} ${result.unit}, ` +
        `spread ${(100 * result.spread).toFixed(0)} %${result.spread > 0.25 ? ': VOID, run it again' : ''}`,
    );
  }
  await admin.end();
} finally {
  await cluster.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
process.exitCode = results.every(({ holds }) => holds) ? 0 : 1;
