import type { Pool, PoolClient } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Migration } from './migrate.ts';

/** One holder at a time, told apart by `epoch`: it grows with every change of holder and never comes back. */
export type Lease = Readonly<{ schema: string; name: string; epoch: number }>;

export type LeaseOptions = Readonly<{
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
/**
 * A holder frozen inside a transaction would keep the row locked against its successor; the server ends such a session
 * by then. Half the ttl, so that the lock is gone before the lease has run out.
 */
const idleInTransactionMs = 2000;

export const leaseMigrations = (schema: string): readonly Migration[] => [
  class implements MigrationInterface {
    readonly name = 'Lease1767225600000';

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(`
        CREATE TABLE "${schema}".lease (
          name text PRIMARY KEY,
          holder text NOT NULL,
          epoch bigint NOT NULL,
          expires_at timestamptz NOT NULL
        )`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`DROP TABLE "${schema}".lease`);
    }
  },
];

/** `undefined`: somebody else holds it. All times are the database's, so that the clocks of holders do not matter. */
export const acquireLease = async (
  pool: Pool,
  { schema, name, holder, ttlMs = leaseTtlMs }: LeaseOptions,
): Promise<Lease | undefined> => {
  const { rows } = await pool.query<{ epoch: number }>(
    `WITH taken AS (
       UPDATE "${schema}".lease
          SET holder = $2, epoch = epoch + 1, expires_at = clock_timestamp() + $3 * interval '1 ms'
        WHERE name = $1 AND expires_at <= clock_timestamp()
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

/** False: the lease is another's now. A lease that ran out and that nobody took is renewed. */
export const renewLease = async (pool: Pool, lease: Lease, ttlMs = leaseTtlMs): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `UPDATE "${lease.schema}".lease SET expires_at = clock_timestamp() + $3 * interval '1 ms'
      WHERE name = $1 AND epoch = $2`,
    [lease.name, lease.epoch, ttlMs],
  );
  return rowCount === 1;
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
 * changing hands until the transaction has ended.
 */
export const holdLease = async (tx: PoolClient, { schema, name, epoch }: Lease): Promise<void> => {
  const { rowCount } = await tx.query({
    name: `${schema}.hold_lease`,
    text: `SELECT set_config('idle_in_transaction_session_timeout', $3, true)
             FROM "${schema}".lease WHERE name = $1 AND epoch = $2 FOR SHARE`,
    values: [name, epoch, String(idleInTransactionMs)],
  });
  if (rowCount !== 1) throw new LeaseLost(`${schema}.${name}: no longer held in epoch ${epoch}`);
};

export type LeasedWork = (lease: Lease, signal: AbortSignal) => Promise<void>;

export type LeasedOptions = LeaseOptions &
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
export const runLeased = async (pool: Pool, options: LeasedOptions, work: LeasedWork): Promise<void> => {
  const { signal, onFault } = options;
  while (!signal.aborted) {
    try {
      const lease = await acquireLease(pool, options);
      if (lease !== undefined) await workUnder(pool, options, lease, work);
    } catch (error) {
      if (!(error instanceof LeaseLost)) onFault(error);
    }
    await sleep(acquirePollMs, undefined, { signal }).catch(() => undefined);
  }
};

const workUnder = async (pool: Pool, options: LeasedOptions, lease: Lease, work: LeasedWork): Promise<void> => {
  const { ttlMs = leaseTtlMs, onFault } = options;
  const lost = new AbortController();
  const lose = () => lost.abort(new LeaseLost(`${lease.schema}.${lease.name}: not renewed in time`));
  const expiry = setTimeout(lose, ttlMs);
  const renew = async (): Promise<void> => {
    if (await renewLease(pool, lease, ttlMs)) expiry.refresh();
    else lose();
  };
  const renewal = setInterval(() => void renew().catch(onFault), ttlMs / 2);
  try {
    await work(lease, AbortSignal.any([options.signal, lost.signal]));
  } finally {
    clearTimeout(expiry);
    clearInterval(renewal);
    await releaseLease(pool, lease).catch(onFault);
  }
};
