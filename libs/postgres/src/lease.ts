import type { Pool, PoolClient } from 'pg';
import { pause } from '@causeway/concurrency';
import { migration, type Migration } from './migration.ts';
import { inTransaction } from './pool.ts';
import { renewalsOf, type Lease } from './renewals.ts';

type LeaseOptions = Readonly<{
  schema: string;
  name: string;
  /** Unique per process start: a restarted process is another holder. For people who read the table. */
  holder: string;
  ttlMs?: number;
}>;

/** Another holder has the lease by now, or may have it: what this one still wanted to write is refused. */
export class LeaseLost extends Error {}

/** A holder that is stopped or cut off is replaced within 5 s: this, and at most one poll of a waiting one. */
export const leaseTtlMs = 4000;
const acquirePollMs = 500;
/** A lease that has longer to go than any is given out for is none; but for this, which clocks are set back by daily. */
const slackMs = 500;
/**
 * A holder frozen inside a transaction would keep the row locked against its successor; the server ends such a session
 * by then. Half the ttl, so that the lock is gone before the lease has run out.
 */
const idleInTransactionMs = 2000;
/** Likewise of one that is frozen amid what it sends. Far above what any statement under a lease takes. */
const statementMs = 4000;

export const leaseMigrations = (schema: string): readonly Migration[] => [
  migration(
    'Lease1767225600000',
    `CREATE TABLE "${schema}".lease (
       name text PRIMARY KEY,
       holder text NOT NULL,
       epoch bigint NOT NULL,
       expires_at timestamptz NOT NULL
     )`,
  ),
];

/** `undefined`: somebody else holds it. All times are the database's, so that the clocks of holders do not matter. */
export const acquireLease = async (
  pool: Pool,
  { schema, name, holder, ttlMs = leaseTtlMs }: LeaseOptions,
): Promise<Lease | undefined> => {
  const { rows } = await pool.query<{ epoch: number }>(
    `WITH free AS MATERIALIZED (
       SELECT name FROM "${schema}".lease
        WHERE name = $1 AND (expires_at <= clock_timestamp()
              -- Given out before the clock was set back.
              OR expires_at > clock_timestamp() + ($3 + ${slackMs}) * interval '1 ms')
          FOR UPDATE
     ), taken AS (
       UPDATE "${schema}".lease SET holder = $2, epoch = epoch + 1, expires_at = clock_timestamp() + $3 * interval '1 ms'
         FROM free WHERE lease.name = free.name
       RETURNING epoch
     ), made AS (
       INSERT INTO "${schema}".lease (name, holder, epoch, expires_at)
       VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 ms')
       ON CONFLICT DO NOTHING
       RETURNING epoch
     )
     SELECT epoch FROM taken UNION ALL SELECT epoch FROM made`,
    [name, holder, ttlMs],
  );
  return rows[0] && { schema, name, epoch: Number(rows[0].epoch) };
};

/** Lets a successor start at once. Harmless when the lease was lost. */
export const releaseLease = async (pool: Pool, lease: Lease): Promise<void> => {
  await pool.query(`UPDATE "${lease.schema}".lease SET expires_at = clock_timestamp() WHERE name = $1 AND epoch = $2`, [
    lease.name,
    lease.epoch,
  ]);
};

/**
 * Makes the transaction's writes conditional on the lease: throws `LeaseLost` when it is another's, and keeps it from
 * changing hands until the transaction has ended. It may be renewed meanwhile: that changes no key.
 */
export const holdLease = async (tx: PoolClient, { schema, name, epoch }: Lease): Promise<void> => {
  const { rowCount } = await tx.query({
    name: `${schema}.hold_lease`,
    text: `SELECT set_config('idle_in_transaction_session_timeout', $3, true), set_config('statement_timeout', $4, true)
             FROM "${schema}".lease WHERE name = $1 AND epoch = $2 FOR KEY SHARE`,
    values: [name, epoch, String(idleInTransactionMs), String(statementMs)],
  });
  if (rowCount !== 1) throw new LeaseLost(`${schema}.${name}: no longer held in epoch ${epoch}`);
};

/** Commits what `work` did while the lease was held, or nothing. */
export const inLease = <T>(pool: Pool, lease: Lease, work: (tx: PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, async (tx) => {
    await holdLease(tx, lease);
    return work(tx);
  });

type LeasedOptions = LeaseOptions &
  Readonly<{
    /** Stops the work and gives the lease back. */
    signal: AbortSignal;
    /** Hears of what `work` or the database threw; the work is taken up again after a pause. */
    onFault: (error: unknown) => void;
  }>;

/**
 * Runs `work` whenever this process holds the lease, until the signal. `work` gets a signal of its own that also fires
 * when the lease was lost or could not be renewed in time; it should return soon after.
 */
export const runLeased = async (
  pool: Pool,
  options: LeasedOptions,
  work: (lease: Lease, signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const { schema, name, signal, onFault, ttlMs = leaseTtlMs } = options;
  const workUnder = async (lease: Lease, since: number): Promise<void> => {
    const lost = new AbortController();
    const lose = () => lost.abort(new LeaseLost(`${schema}.${name}: not renewed in time`));
    const end = renewalsOf(pool, schema, ttlMs)({ lease, lose, onFault }, since);
    try {
      await work(lease, AbortSignal.any([signal, lost.signal]));
    } finally {
      end();
      await releaseLease(pool, lease).catch(onFault);
    }
  };
  while (!signal.aborted) {
    try {
      const since = performance.now();
      const lease = await acquireLease(pool, options);
      if (lease !== undefined) await workUnder(lease, since);
    } catch (error) {
      if (!(error instanceof LeaseLost)) onFault(error);
    }
    await pause(acquirePollMs, signal);
  }
};
