import { within } from '@causeway/concurrency';
import pg from 'pg';

export type { Pool, PoolClient } from 'pg';

/**
 * What Postgres sends stays text or becomes a number that holds it. Left alone, pg makes a `date` a JavaScript Date at
 * local midnight, which is another day once it is written back from another time zone. Read microseconds with
 * `to_char`: a timestamptz comes as milliseconds here. NUMERIC stays text.
 */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.DATE]: String,
  [pg.types.builtins.TIMESTAMPTZ]: (text) => new Date(text).toISOString(),
  [pg.types.builtins.INT8]: Number,
};

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string) => {
    const own = format === 'binary' ? undefined : parsers[oid];
    return own ?? (pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown);
  },
};

export type PoolOptions = Readonly<{
  url: string;
  applicationName: string;
  /** The role that statements run as; the login's own when left out. */
  role?: string;
  connectionsMax?: number;
  /** Statements are sent without waiting for the ones before to be answered; the server runs them in order. No COPY then. */
  pipeline?: boolean;
  /**
   * A prepared statement is planned once in a session, for any values, and not again for those of each execution: of
   * statements that an index serves whatever the values are, planning is half of the work.
   */
  plansOnce?: boolean;
  /** A statement ends by then. What takes longer by its nature asks for more, by `patiently`. */
  statementMaxMs?: number;
  /**
   * A statement that was not answered by then counts as an outage, and its session is given up: a server that stands
   * still says nothing. A little more than `statementMaxMs` when left out; else a little less.
   */
  answerWithinMs?: number;
}>;

const statementMaxDefaultMs = 30_000;
const answerMarginMs = 5000;
/** Rows and names are locked for a transaction of milliseconds; who waits for so long waits for something broken. */
const lockMaxMs = 5000;
/** Between two statements of a transaction lies a client's own work. One that is frozen there must not keep its locks. */
const idleInTransactionMaxMs = 3000;

/** Finds out, within half a minute, that the other end of a silent connection is gone without a word. */
export const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

type Limits = Readonly<{ statementMaxMs: number; lockMaxMs: number; idleInTransactionMaxMs: number }>;

/** Settings of a session, as `options` of its start: nothing waits without end, at the server either. */
export const limited = (limits: Limits): string =>
  Object.entries({
    statement_timeout: limits.statementMaxMs,
    lock_timeout: limits.lockMaxMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMaxMs,
    tcp_keepalives_idle: 10,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 3,
    tcp_user_timeout: 25_000,
  })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

const sessionOptions = ({ role, plansOnce = false }: PoolOptions, limits: Limits): string =>
  [
    `-c TimeZone=UTC ${limited(limits)}`,
    ...(plansOnce ? ['-c plan_cache_mode=force_generic_plan'] : []),
    ...(role === undefined ? [] : [`-c role=${role}`]),
  ].join(' ');

/** A pool whose sessions run in UTC under `role`. An idle connection that breaks is replaced, not thrown. */
export const openPool = (options: PoolOptions): pg.Pool => {
  const { url, applicationName, connectionsMax = 10, pipeline = false } = options;
  const { answerWithinMs = (options.statementMaxMs ?? statementMaxDefaultMs) + answerMarginMs } = options;
  const {
    statementMaxMs = options.answerWithinMs === undefined ? statementMaxDefaultMs : answerWithinMs + answerMarginMs,
  } = options;
  const pool = new pg.Pool({
    connectionString: url,
    application_name: applicationName,
    max: connectionsMax,
    pipeline,
    connectionTimeoutMillis: 5000,
    ...keepAlive,
    query_timeout: answerWithinMs,
    options: sessionOptions(options, { statementMaxMs, lockMaxMs, idleInTransactionMaxMs }),
    types,
  });
  // Without listeners, a connection that the server ends would end the process: one that is idle, and one that is in a
  // transaction but has no query under way. The next query fails, or opens a new connection.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return endingInTime(pool);
};

/** Whoever has not given back its session by then is cut off from it: the server undoes what was not committed. */
const endWithinMs = 1000;

/** The end waits neither for ever for a session in use, nor for one that is being opened in vain. */
const endingInTime = (pool: pg.Pool): pg.Pool => {
  const sessions = new Set<pg.PoolClient>();
  pool.on('connect', (client) => sessions.add(client));
  pool.on('remove', (client) => sessions.delete(client));
  const end = pool.end.bind(pool) as (done: () => void) => void;
  const endInTime = async (): Promise<void> => {
    await within(endWithinMs, new Promise<void>(end));
    sessions.forEach(cutOff);
  };
  return Object.assign(pool, { end: endInTime });
};

const cutOff = (session: pg.PoolClient): void =>
  void (session as unknown as Readonly<{ connection: pg.Connection }>).connection.stream.destroy();

/** Commits what `work` did, or nothing. A connection whose transaction cannot be ended is thrown away. */
export const inTransaction = async <T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> => {
  const tx = await pool.connect();
  let broken: Error | undefined;
  try {
    const begin = tx.query('BEGIN');
    const result = tx.pipeline ? (await Promise.all([begin, work(tx)]))[1] : await begin.then(() => work(tx));
    await tx.query('COMMIT');
    return result;
  } catch (error) {
    await tx.query('ROLLBACK').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    tx.release(broken);
  }
};

const patienceMs = 3_600_000;

/** Runs what reads or writes a whole table in one statement: an index, a checksum. An hour, in place of half a minute. */
export const patiently = async <R extends pg.QueryResultRow>(
  tx: pg.PoolClient,
  text: string,
): Promise<pg.QueryResult<R>> => {
  await tx.query(`SET LOCAL statement_timeout = ${patienceMs}`);
  const query = { text, query_timeout: patienceMs + answerMarginMs };
  return tx.query<R>(query);
};
