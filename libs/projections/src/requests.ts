import type { Position } from '@causeway/event-sourcing';
import type { Pool, PoolClient } from '@causeway/postgres';

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
 * What to do with the generation that was built. `ask`: the operator will say. `show`: has agreed, and reads what differs
 * first.
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

const selected = `id, name, kind, when_ready AS "whenReady", state, reason, operator, generation, events, total, added,
  changed, removed, detail`;

export type Asked = Pick<ProjectionRequest, 'name' | 'kind' | 'whenReady'> &
  Partial<Pick<ProjectionRequest, 'reason' | 'operator' | 'generation'>>;

export const addRequest = async (
  database: Pool | PoolClient,
  schema: string,
  { name, kind, whenReady, reason = null, operator = null, generation = null }: Asked,
): Promise<ProjectionRequest> => {
  const { rows } = await database.query<ProjectionRequest>(
    `INSERT INTO ${schema}.projection_request (name, kind, when_ready, reason, operator, generation)
     VALUES ($1, $2, $3, $4, $5, $6) RETURNING ${selected}`,
    [name, kind, whenReady, reason, operator, generation],
  );
  return rows[0] as ProjectionRequest;
};

export const requestById = async (pool: Pool, schema: string, id: number): Promise<ProjectionRequest | undefined> => {
  const { rows } = await pool.query<ProjectionRequest>(
    `SELECT ${selected} FROM ${schema}.projection_request WHERE id = $1`,
    [id],
  );
  return rows[0];
};

/** The operator is still there; with an answer: has decided. */
export const answerRequest = async (pool: Pool, schema: string, id: number, whenReady: WhenReady): Promise<void> => {
  await pool.query(
    `UPDATE ${schema}.projection_request SET asked_at = clock_timestamp(), when_ready = $2 WHERE id = $1`,
    [id, whenReady],
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

/** The oldest request that is not done. One that a stopped runner had begun is begun again. */
export const openRequest = async (pool: Pool, schema: string, name: string): Promise<ProjectionRequest | undefined> => {
  if (!(await isAnyOpen(pool, schema))) return undefined;
  const { rows } = await pool.query<ProjectionRequest>({
    name: `${schema}.open_request`,
    text: `SELECT ${selected} FROM ${schema}.projection_request
            WHERE name = $1 AND state <> ALL ($2) ORDER BY id LIMIT 1`,
    values: [name, finished],
  });
  return rows[0];
};

export type RequestChange = Partial<
  Readonly<{ state: RequestState; events: Position; total: Position; detail: string }>
>;

export const changeRequest = async (pool: Pool, schema: string, id: number, change: RequestChange): Promise<void> => {
  await pool.query(
    `UPDATE ${schema}.projection_request
        SET state = coalesce($2, state), events = coalesce($3, events), total = coalesce($4, total),
            detail = coalesce($5, detail)
      WHERE id = $1`,
    [id, change.state, change.events, change.total, change.detail],
  );
};

/** An operator who has not been heard of for so long is gone, and has not agreed. */
const askedMaxSeconds = 30;

/** What the operator wants by now. */
export const decisionOf = async (pool: Pool, schema: string, id: number): Promise<WhenReady> => {
  const { rows } = await pool.query<{ decision: WhenReady }>(
    `SELECT CASE WHEN when_ready = 'ask' AND asked_at < clock_timestamp() - $2 * interval '1 second' THEN 'drop'
                 ELSE when_ready END AS decision
       FROM ${schema}.projection_request WHERE id = $1`,
    [id, askedMaxSeconds],
  );
  return rows[0]?.decision ?? 'drop';
};
