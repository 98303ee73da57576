import type { Pool } from 'pg';

/** One holder at a time, told apart by `epoch`: it grows with every change of holder and never comes back. */
export type Lease = Readonly<{ schema: string; name: string; epoch: number }>;

/** Those that are still held; the others are another's now. What ran out and nobody took is renewed. */
export const renewLeases = async (pool: Pool, leases: readonly Lease[], ttlMs: number): Promise<ReadonlySet<Lease>> => {
  const [first] = leases;
  if (first === undefined) return new Set();
  const statement = {
    name: `${first.schema}.renew_leases`,
    text: `UPDATE "${first.schema}".lease SET expires_at = clock_timestamp() + $3 * interval '1 ms'
             FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY held (name, epoch, n)
            WHERE lease.name = held.name AND lease.epoch = held.epoch RETURNING held.n`,
    values: [leases.map(({ name }) => name), leases.map(({ epoch }) => epoch), ttlMs],
    query_timeout: ttlMs,
  };
  const { rows } = await pool.query<{ n: number }>(statement);
  return new Set(rows.map(({ n }) => leases[n - 1] as Lease));
};

type Held = Readonly<{ lease: Lease; lose: () => void; onFault: (error: unknown) => void }>;

/** Renews all leases of one schema that a process holds by one statement, and lets go of each by the process's own clock. */
const startRenewals = (pool: Pool, ttlMs: number) => {
  const expiries = new Map<Held, NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | undefined;

  const keep = (held: Held, since: number): void => {
    clearTimeout(expiries.get(held));
    expiries.set(held, setTimeout(held.lose, since + ttlMs - performance.now()));
  };
  const renewAll = async (): Promise<void> => {
    const all = [...expiries.keys()];
    const leases = all.map(({ lease }) => lease);
    const since = performance.now();
    const kept = await renewLeases(pool, leases, ttlMs);
    for (const held of all.filter((each) => expiries.has(each))) {
      if (kept.has(held.lease)) keep(held, since);
      else held.lose();
    }
  };
  const renew = (): void => {
    renewing ??= renewAll()
      .catch((error: unknown) => expiries.keys().next().value?.onFault(error))
      .finally(() => (renewing = undefined));
  };

  /**
   * Keeps the lease until the answer is called, or tells that it is lost. `since`: when it was asked for, by
   * `performance.now()`: the database counts from later on.
   */
  return (held: Held, since: number): (() => void) => {
    keep(held, since);
    timer ??= setInterval(renew, ttlMs / 2);
    return () => {
      clearTimeout(expiries.get(held));
      expiries.delete(held);
      if (expiries.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
};

type Hold = ReturnType<typeof startRenewals>;
const ofPools = new WeakMap<Pool, Map<string, Hold>>();

/** One for all who hold leases of this schema by this pool. */
export const renewalsOf = (pool: Pool, schema: string, ttlMs: number): Hold => {
  const known = ofPools.get(pool) ?? new Map<string, Hold>();
  ofPools.set(pool, known);
  const key = `${schema} ${ttlMs}`;
  const hold = known.get(key) ?? startRenewals(pool, ttlMs);
  known.set(key, hold);
  return hold;
};
