import type { Position } from '@causeway/event-sourcing';
import type { Pool, PoolClient } from '@causeway/postgres';
import { snakeCase } from '@causeway/read-models';
import type { Scope } from './projection.ts';

export type RequestState =
  | 'waiting'
  | 'building'
  | 'indexing'
  | 'ready'
  | 'switching'
  | 'correcting'
  | 'switched'
  | 'discarded'
  | 'cancelled'
  | 'equal'
  | 'different'
  | 'dropped'
  | 'failed';

/**
 * What to do with the generation that was built; of one that verifies, `switch` is to mend the live rows. `ask`: the
 * operator will say. `show`: has agreed, and reads what differs first.
 */
export type WhenReady = 'switch' | 'drop' | 'ask' | 'show' | 'cancel';

/** Something that an operator or a new version wants done with a projection, carried out by whoever runs it. */
export type ProjectionRequest = Readonly<{
  id: number;
  name: string;
  kind: 'rebuild' | 'upgrade' | 'rollback' | 'verify' | 'drop';
  whenReady: WhenReady;
  state: RequestState;
  /** Why, and who asks. Where rows differ, a switch needs the reason. */
  reason: string | null;
  operator: string | null;
  /** What is filled for it, or gone back to. */
  generation: number | null;
  /** What is verified; null: everything. */
  scope: Scope | null;
  /** Of the events that record what differs: what their ids are made from, and where the last is. */
  correctionId: string;
  correctedTo: Position | null;
  /** Positions done, and to be done. */
  events: number;
  total: number;
  /** Rows that differ. */
  added: number;
  changed: number;
  removed: number;
  /** What was found or what went wrong. */
  detail: string | null;
}>;

export const finished: readonly RequestState[] = [
  'switched',
  'discarded',
  'cancelled',
  'equal',
  'different',
  'dropped',
  'failed',
];

const selected = `r.id, r.name, r.kind, r.when_ready AS "whenReady", r.state, r.reason, r.operator, r.generation, r.scope,
  r.correction_id AS "correctionId", r.corrected_to AS "correctedTo", r.events, r.total, r.added, r.changed, r.removed,
  r.detail`;

export type Asked = Pick<ProjectionRequest, 'name' | 'kind' | 'whenReady'> &
  Partial<Pick<ProjectionRequest, 'reason' | 'operator' | 'generation' | 'scope'>>;

export const addRequest = async (
  database: Pool | PoolClient,
  schema: string,
  { name, kind, whenReady, reason = null, operator = null, generation = null, scope = null }: Asked,
): Promise<ProjectionRequest> => {
  const { rows } = await database.query<ProjectionRequest>(
    `INSERT INTO ${schema}.projection_request AS r (name, kind, when_ready, reason, operator, generation, scope)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${selected}`,
    [name, kind, whenReady, reason, operator, generation, scope],
  );
  return rows[0] as ProjectionRequest;
};

export const requestById = async (pool: Pool, schema: string, id: number): Promise<ProjectionRequest | undefined> => {
  const { rows } = await pool.query<ProjectionRequest>(
    `SELECT ${selected} FROM ${schema}.projection_request r WHERE r.id = $1`,
    [id],
  );
  return rows[0];
};

type Answer = Readonly<{ id: number; whenReady: WhenReady; reason?: string | null }>;

/** The operator is still there; with an answer: has decided, and may have said why. */
export const answerRequest = async (
  pool: Pool,
  schema: string,
  { id, whenReady, reason = null }: Answer,
): Promise<void> => {
  await pool.query(
    `UPDATE ${schema}.projection_request
        SET asked_at = clock_timestamp(), when_ready = $2, reason = coalesce($3, reason)
      WHERE id = $1 AND when_ready <> 'cancel'`,
    [id, whenReady, reason],
  );
};

/** Takes back a request that nobody has taken up; false: somebody has. */
export const giveUpRequest = async (pool: Pool, schema: string, id: number): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `UPDATE ${schema}.projection_request SET state = 'cancelled' WHERE id = $1 AND state = 'waiting'`,
    [id],
  );
  return rowCount === 1;
};

/** Ends what is under way of a projection, unless it has begun to correct. Resolves to its id. */
export const cancelRequest = async (pool: Pool, schema: string, name: string): Promise<number | undefined> => {
  const { rows } = await pool.query<{ id: number }>(
    `UPDATE ${schema}.projection_request
        SET when_ready = 'cancel',
            state = CASE WHEN state = 'waiting' AND generation IS NULL THEN 'cancelled' ELSE state END
      WHERE id = (SELECT min(id) FROM ${schema}.projection_request WHERE name = $1 AND kind <> 'drop'
                     AND state <> ALL ($2) AND state <> 'correcting')
     RETURNING id`,
    [name, finished],
  );
  return rows[0]?.id;
};

const lookMs = 1000;
const looks = new WeakMap<Pool, { at: number; isAny: Promise<boolean> }>();

/** Whether anything is asked of any projection of a service: looked up once a second for all of them. */
const isAnyOpen = (pool: Pool, schema: string): Promise<boolean> => {
  const last = looks.get(pool);
  if (last !== undefined && performance.now() - last.at < lookMs) return last.isAny;
  const text = `SELECT FROM ${schema}.projection_request WHERE state <> ALL ($1) LIMIT 1`;
  const query = pool.query({ name: `${schema}.any_request`, text, values: [finished] });
  const look = { at: performance.now(), isAny: query.then(({ rowCount }) => rowCount === 1) };
  looks.set(pool, look);
  return look.isAny;
};

/**
 * The oldest request that is not done, of those for this version: what is filled or gone back to is of it, or nobody has
 * taken it up and no newer version is live. One that a stopped runner had begun goes on.
 */
export const openRequest = async (
  pool: Pool,
  schema: string,
  { name, version }: Readonly<{ name: string; version: number }>,
): Promise<ProjectionRequest | undefined> => {
  if (!(await isAnyOpen(pool, schema))) return undefined;
  const { rows } = await pool.query<ProjectionRequest>({
    name: `${schema}.open_request`,
    text: `SELECT ${selected} FROM ${schema}.projection_request r
             JOIN ${schema}.projection l ON l.name = r.name AND l.live
             LEFT JOIN ${schema}.projection g ON g.name = r.name AND g.generation = r.generation
            WHERE r.name = $1 AND r.state <> ALL ($2) AND coalesce(g.version, $3) = $3
              AND (g.version = $3 OR l.version = $3 OR (l.version < $3 AND r.kind IN ('rebuild', 'drop')))
            ORDER BY r.id LIMIT 1`,
    values: [name, finished, version],
  });
  return rows[0];
};

/** Names what is filled for a request. False: it was done, or taken up by another version, before. */
export const fillFor = async (
  tx: PoolClient,
  schema: string,
  { id, generation: before }: Pick<ProjectionRequest, 'id' | 'generation'>,
  generation: number,
): Promise<boolean> => {
  const { rowCount } = await tx.query(
    `UPDATE ${schema}.projection_request SET generation = $3
      WHERE id = $1 AND generation IS NOT DISTINCT FROM $2 AND state <> ALL ($4)`,
    [id, before, generation, finished],
  );
  return rowCount === 1;
};

export type RequestChange = Partial<
  Pick<ProjectionRequest, 'state' | 'events' | 'total' | 'added' | 'changed' | 'removed' | 'correctedTo' | 'detail'>
>;

/** What is not said stays. What is done stays done. */
export const changeRequest = async (
  database: Pool | PoolClient,
  schema: string,
  id: number,
  change: RequestChange,
): Promise<void> => {
  const changed = Object.entries(change).filter(([, value]) => value !== undefined);
  await database.query(
    `UPDATE ${schema}.projection_request
        SET ${changed.map(([name], i) => `${snakeCase(name)} = $${i + 3}`).join(', ')}
      WHERE id = $1 AND state <> ALL ($2)`,
    [id, finished, ...changed.map(([, value]) => value)],
  );
};

/** An operator ended it. */
export class Cancelled extends Error {}

/** From here on it cannot be cancelled. Throws when it was. */
export const beginCorrecting = async (pool: Pool, schema: string, id: number): Promise<void> => {
  const { rowCount } = await pool.query(
    `UPDATE ${schema}.projection_request SET state = 'correcting'
      WHERE id = $1 AND when_ready <> 'cancel' AND state <> ALL ($2)`,
    [id, finished],
  );
  if (rowCount !== 1) throw new Cancelled(`the request ${id} was cancelled`);
};

/** An operator who has not been heard of for so long is gone. */
const askedMaxSeconds = 30;

/** What the operator wants by now. One who is gone has not agreed, unless he had before. */
export const decisionOf = async (pool: Pool, schema: string, id: number): Promise<WhenReady> => {
  const { rows } = await pool.query<{ decision: WhenReady }>(
    `SELECT CASE WHEN when_ready NOT IN ('ask', 'show') OR asked_at > clock_timestamp() - $2 * interval '1 second'
                 THEN when_ready WHEN when_ready = 'ask' THEN 'drop' ELSE 'switch' END AS decision
       FROM ${schema}.projection_request WHERE id = $1`,
    [id, askedMaxSeconds],
  );
  return rows[0]?.decision ?? 'drop';
};
