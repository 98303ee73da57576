import { openPool, startCluster } from '@causeway/postgres';
import { Command, InvalidArgumentError } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oldConnectionBench } from './age.bench.ts';
import { alikeRowsBench } from './alike.bench.ts';
import { appendBench } from './append.bench.ts';
import { listsBesideSyncBench, writesBesideSyncBench } from './beside-sync.bench.ts';
import { commandBench } from './command.bench.ts';
import { builtCommandBench, npxCommandBench } from './command-line.bench.ts';
import { deliveriesBench, hangingRateBench, hangingTailBench } from './deliveries.bench.ts';
import { asOfBench, historyBench } from './as-of.bench.ts';
import { depthBench, emptyFilterBench } from './depth.bench.ts';
import { diskBench } from './disk.bench.ts';
import { freshnessBench } from './freshness.bench.ts';
import { idleCoresBench, idleStatementsBench } from './idle.bench.ts';
import { ingestBench, ingestOverKafkaBench, resyncBench } from './ingest.bench.ts';
import { listReadsBench, listTailBench } from './list-reads.bench.ts';
import type { Measurement } from './measurement.ts';
import { pageCostBench } from './page-cost.bench.ts';
import { missingBroker } from './raw-kafka.ts';
import { ingestBesideRebuildBench, listsBesideRebuildBench } from './rebuild-beside.bench.ts';
import { replayBench } from './replay.bench.ts';
import { lineOf, resultOf, type Result } from './result.ts';
import { syncDrainBench } from './sync-drain.bench.ts';
import { externalTransfersBenches, internalTransfersBenches } from './transfers.bench.ts';

const measurements: readonly Measurement[] = [
  listReadsBench,
  listTailBench,
  depthBench,
  asOfBench,
  historyBench,
  emptyFilterBench,
  syncDrainBench,
  ingestBench,
  resyncBench,
  appendBench,
  replayBench,
  listsBesideRebuildBench,
  ingestBesideRebuildBench,
  pageCostBench,
  freshnessBench,
  commandBench,
  deliveriesBench,
  hangingTailBench,
  hangingRateBench,
  ...internalTransfersBenches,
  ...externalTransfersBenches,
  listsBesideSyncBench,
  writesBesideSyncBench,
  idleCoresBench,
  idleStatementsBench,
  diskBench,
  oldConnectionBench,
  alikeRowsBench,
  npxCommandBench,
  builtCommandBench,
  ingestOverKafkaBench,
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
  .addHelpText('after', () => ['', ...measurements.map(({ id, name }) => `${id.padEnd(4)} ${name}`)].join('\n'))
  .parse();
const options = program.opts<{ only?: string; rows: number; pairs: number; json?: string }>();

const wanted = options.only?.split(',').map((id) => id.trim());
/** `P9` is P9a and P9b. */
const isMeant = (asked: string, { id }: Measurement): boolean => asked === id || asked === id.replace(/[a-z]$/, '');
const unknown = wanted?.filter((asked) => !measurements.some((one) => isMeant(asked, one))) ?? [];
if (unknown.length > 0) program.error(`unknown: ${unknown.join(', ')}`, { exitCode: 2 });

const dataDir = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
const cluster = await startCluster({ dataDir, settings: { max_wal_size: '8GB' } });
const results: Result[] = [];
let isMissing = false;
try {
  const admin = openPool({ url: cluster.url, applicationName: 'bench', connectionsMax: 1, statementMaxMs: 3_600_000 });
  for (const measurement of measurements.filter((one) => wanted?.some((asked) => isMeant(asked, one)) ?? true)) {
    const missing = measurement.needsBroker ? await missingBroker() : undefined;
    if (missing !== undefined) {
      console.log(`${measurement.id.padEnd(4)} left out: it needs a Kafka broker, and ${missing}`);
      // Asked for by its name it is missed; among all it is not.
      isMissing ||= wanted !== undefined;
      continue;
    }
    const name = `bench_${results.length}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(cluster.url);
    url.pathname = `/${name}`;
    const { rows, pairs } = options;
    const taken = await measurement.run({ rows, pairs, databaseUrl: url.href });
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    const result = resultOf(measurement, taken, rows);
    results.push(result);
    console.log(lineOf(measurement, result, taken.flaw));
  }
  await admin.end();
} finally {
  await cluster.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
process.exitCode = !isMissing && results.every(({ holds }) => holds) ? 0 : 1;
