import { beginning, type Position } from '@causeway/event-sourcing';
import { inTransaction, patiently, type Pool, type PoolClient } from '@causeway/postgres';
import { catchUp } from './catch-up.ts';
import { liveGeneration } from './generation.ts';
import { tableOf, type Generation } from './projection.ts';
import { fill } from './rebuild.ts';
import type { Target } from './write-batch.ts';

/** Of all rows of a table, in whatever order they lie there: their number, and the sum of their hashes. */
type Checksum = Readonly<{ table: string; rows: number; sum: string }>;

const checksums = async (
  tx: PoolClient,
  { schema, projection }: Pick<Target, 'schema' | 'projection'>,
  generation: Generation,
): Promise<readonly Checksum[]> => {
  const found: Checksum[] = [];
  const name = tableOf(schema, generation);
  const forgotten = projection.forgets?.(name) ?? {};
  for (const table of projection.tables) {
    const { rows } = await patiently<Omit<Checksum, 'table'>>(
      tx,
      `SELECT count(*) AS rows, coalesce(sum(hashtextextended(r::text, 0)::numeric), 0)::text AS sum
         FROM ${name(table)} r WHERE NOT (${forgotten[table] ?? 'false'})`,
    );
    if (rows[0]) found.push({ table, ...rows[0] });
  }
  return found;
};

/** Live rows and the checkpoint they belong to, in one snapshot: nobody has to stand still for it. */
const liveChecksums = (pool: Pool, of: Pick<Target, 'schema' | 'projection'>) =>
  inTransaction(pool, async (tx) => {
    await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    const live = await liveGeneration(tx, of.schema, of.projection.name);
    if (live === undefined) throw new Error(`${of.projection.name} has no live generation`);
    return { position: live.position, sums: await checksums(tx, of, live) };
  });

const differences = (live: readonly Checksum[], shadow: readonly Checksum[]): readonly string[] =>
  live.flatMap(({ table, rows, sum }, i) => {
    const other = shadow[i];
    if (other?.rows === rows && other.sum === sum) return [];
    return [`${table}: ${rows} rows live, ${other?.rows ?? 0} rebuilt, and their checksums differ`];
  });

type Verify = Readonly<{
  signal: AbortSignal;
  moved: (position: Position) => void;
  total: (position: Position) => Promise<void>;
}>;

/** `found`: a line for each table that differs; none: all are equal. */
type Compared = Readonly<{ position: Position; found: readonly string[] }>;

/** An erasure that goes on while the shadow is filled takes rows from it that the live one had: then look again. */
const looksMax = 5;

/** Fills `shadow` up to where the live generation stands and compares the rows of both. */
export const compare = async (shadow: Target, { signal, moved, total }: Verify): Promise<Compared> => {
  let position: Position = beginning;
  for (let look = 1; ; look++) {
    const live = await liveChecksums(shadow.pool, shadow);
    await total(live.position);
    const walk = { signal, until: live.position, moved };
    const reached = look === 1 ? await fill(shadow, walk) : await catchUp(shadow, position, walk);
    signal.throwIfAborted();
    const sums = await inTransaction(shadow.pool, (tx) => checksums(tx, shadow, shadow.generation));
    const found = differences(live.sums, sums);
    const again = reached > position && look < looksMax;
    if (found.length === 0 || !again) return { position: live.position, found };
    position = reached;
  }
};
