import { pause } from '@causeway/concurrency';
import pg from 'pg';

/** `undefined`: the session was begun anew, and something may have been missed. */
type Hear = (text: string | undefined) => void;

/** Ends hearing. */
export type Unhear = () => Promise<void>;

const anewAfterMs = 1000;

type Hearers = Set<readonly [channel: string, hear: Hear]>;

/** `over` resolves when the session broke, or was ended. */
const openSession = async (options: pg.ClientConfig, hearers: Hearers) => {
  const client = new pg.Client({ ...options, application_name: 'notices' });
  const over = new Promise<void>((resolve) => void client.on('error', () => resolve()).on('end', () => resolve()));
  client.on('notification', (told) => {
    for (const [channel, hear] of hearers) if (channel === told.channel) hear(told.payload ?? '');
  });
  await client.connect();
  const known = new Set<string>();
  /** To channels that were not listened to before. */
  const listen = async (): Promise<void> => {
    const added = [...hearers].filter(([channel]) => !known.has(channel));
    for (const [channel] of added) known.add(channel);
    for (const channel of new Set(added.map(([name]) => name))) await client.query(`LISTEN "${channel}"`);
    for (const [, hear] of added) hear(undefined);
  };
  return { over, listen, end: () => client.end().catch(() => undefined) };
};

type Session = Readonly<{ add(channel: string, hear: Hear): Unhear }>;

/** One session that hears of all channels; begun anew after it broke. */
const startSession = (options: pg.ClientConfig, ended: () => void): Session => {
  const hearers: Hearers = new Set();
  const stopping = new AbortController();
  const { signal } = stopping;
  let session: Awaited<ReturnType<typeof openSession>> | undefined;

  const forever = async (): Promise<void> => {
    while (!signal.aborted) {
      session = await openSession(options, hearers).catch(() => undefined);
      if (signal.aborted) await session?.end();
      await session?.listen().catch(session.end);
      await session?.over;
      session = undefined;
      await pause(anewAfterMs, signal);
    }
  };
  const running = forever();

  const add: Session['add'] = (channel, hear) => {
    const one = [channel, hear] as const;
    hearers.add(one);
    session?.listen().catch(session.end);
    return async () => {
      hearers.delete(one);
      if (hearers.size > 0) return;
      ended();
      stopping.abort();
      await session?.end();
      await running;
    };
  };
  return { add };
};

const sessions = new Map<string, Session>();

/**
 * Hears what is told to a channel, over one session for each process and database, however many listen. Notices may be
 * lost while it is begun anew: who relies on them looks by itself now and then. `channel` must be a plain name.
 */
export const hearNotices = (pool: pg.Pool, channel: string, hear: Hear): Unhear => {
  const { connectionString = '' } = pool.options;
  const session = sessions.get(connectionString) ?? startSession(pool.options, () => sessions.delete(connectionString));
  sessions.set(connectionString, session);
  return session.add(channel, hear);
};

/** Waits for no disk: a notice of a database that crashed is of no use. */
export const giveNotice = async (pool: pg.Pool, channel: string, text: string): Promise<void> => {
  await pool.query({
    name: 'give_notice',
    text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`,
    values: [channel, text],
  });
};
