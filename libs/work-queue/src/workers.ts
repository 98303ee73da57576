import type { Logger } from '@causeway/observability';
import type { Pool } from '@causeway/postgres';
import { randomUUID } from 'node:crypto';
import type { Hold } from './hand.ts';
import { startRunner, type Runner } from './runner.ts';
import type { Source, Taken } from './source.ts';
import { claimSql, renewSql, settleSql } from './statements.ts';

type Claimed = Readonly<{
  kind: string;
  id: string;
  organization: string;
  environment: 'live' | 'test';
  institution: string | null;
  /** Those in a row before this one that threw. */
  attempts: number;
  epoch: number;
}>;

export type Claim = Claimed & Pick<Hold, 'throwIfLost'>;

/** `againInMs`: the item is due again after this time. */
export type Outcome = 'done' | Readonly<{ againInMs: number }>;

export type Worker = Readonly<{
  kind: string;
  /** Items in hand at once, in this process and for each environment. */
  slots: number;
  /**
   * What it throws is told to the log, and the item rests: 0.5 s, twice as long after each further one, at most 30 s. It
   * must heed the signal, and be safe to be begun again by another process.
   */
  work(claim: Claim, signal: AbortSignal): Promise<Outcome>;
}>;

export type WorkersOptions = Readonly<{
  /** With sessions that the work does not use: a renewal that waits for one loses the claims. */
  pool: Pool;
  schema: string;
  workers: readonly Worker[];
  log: Logger;
}>;

type Ended = Readonly<{ kind: string; id: string; epoch: number; againInMs: number | null; attempts: number }>;

const restMs = 500;
const restMaxMs = 30_000;
const environments = ['live', 'test'] as const;

/** Nobody fills all slots alone: what comes from others finds one. */
const shareOf = (slots: number): number => Math.max(1, Math.floor((slots * 3) / 4));

/** Works what is due of these kinds, as every other process of the service does. */
export const startWorkers = (options: WorkersOptions): Pick<Runner<Claimed>, 'wake' | 'stop'> => {
  const { log } = options;
  return startRunner(itemsOf(options), { onFault: (err) => log.warn({ err }, 'tried again later') });
};

const lanesOf = (workers: readonly Worker[], inHand: readonly Claimed[]) =>
  workers.flatMap(({ kind, slots }) =>
    environments.map((environment) => {
      const taken = inHand.filter((claim) => claim.kind === kind && claim.environment === environment);
      return { kind, environment, room: slots - taken.length, share: shareOf(slots) };
    }),
  );

const itemsOf = ({ pool, schema, workers, log }: WorkersOptions): Source<Claimed, Ended> => {
  const holder = randomUUID();
  const byKind = new Map(workers.map((worker) => [worker.kind, worker]));
  const query = <T extends object>(name: string, text: string, values: readonly unknown[]) =>
    pool.query<T>({ name: `${schema}.${name}`, text, values: [...values] });
  const [claimText, renewText, settleText] = [claimSql(schema), renewSql(schema), settleSql(schema)];

  return {
    keyOf,
    claim: async (inHand) => {
      const values = [JSON.stringify(lanesOf(workers, inHand)), JSON.stringify(inHand), holder];
      const { rows } = await query<Taken<Claimed>>('claim_work', claimText, values);
      return rows[0] as Taken<Claimed>;
    },
    renew: async (claims) => {
      const { rows } = await query<Claimed>('renew_work', renewText, [JSON.stringify(claims), holder]);
      return new Set(rows.map(keyOf));
    },
    settle: async (ended) => {
      await query('settle_work', settleText, [JSON.stringify(ended), holder]);
    },
    givenBack: (claim) => ({ ...claim, againInMs: 0 }),
    work: async (claim, { signal, throwIfLost }) => {
      const worker = byKind.get(claim.kind) as Worker;
      try {
        const outcome = await worker.work({ ...claim, throwIfLost }, signal);
        return { ...claim, againInMs: outcome === 'done' ? null : Math.round(outcome.againInMs), attempts: 0 };
      } catch (err) {
        if (signal.aborted) throw err;
        log.warn({ kind: claim.kind, id: claim.id, err }, 'tried again later');
        const againInMs = Math.min(restMs * 2 ** claim.attempts, restMaxMs);
        return { ...claim, againInMs, attempts: claim.attempts + 1 };
      }
    },
  };
};

const keyOf = ({ kind, id, epoch }: Pick<Claimed, 'kind' | 'id' | 'epoch'>): string =>
  JSON.stringify([kind, id, epoch]);
