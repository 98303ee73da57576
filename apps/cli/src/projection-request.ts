import type { Pool } from '@causeway/postgres';
import {
  addRequest,
  answerRequest,
  finished,
  giveUpRequest,
  requestById,
  type Asked,
  type ProjectionRequest,
} from '@causeway/projections';
import { setTimeout as sleep } from 'node:timers/promises';
import { differenceText, reportOfBuilt, type DifferenceReport } from './differences.ts';
import { print, printJson, type Json } from './print.ts';
import { doneLine, progressLine } from './progress-line.ts';
import { schemasOf } from './read-models.ts';
import { NotRunning } from './running-system.ts';
import { answered, endProgress, isAgreed, isAttended, showProgress } from './terminal.ts';

/** What was asked of the service that keeps a projection. */
type Waiting = Readonly<{ pool: Pool; schema: string; id: number; whenReady: Asked['whenReady'] }>;

const pollMs = 250;
/** A running service takes a request up within half a second, unless it is busy with the one before. */
const takenUpMaxMs = 60_000;

export const schemaOf = async (pool: Pool, name: string): Promise<string> => {
  const known: string[] = [];
  for (const schema of await schemasOf(pool)) {
    const { rows } = await pool.query<{ name: string }>(`SELECT name FROM ${schema}.projection WHERE live ORDER BY 1`);
    if (rows.some((row) => row.name === name)) return schema;
    known.push(...rows.map((row) => row.name));
  }
  throw new Error(`there is no projection ${name}; there are ${known.join(', ')}`);
};

const requestOf = async ({ pool, schema, id }: Pick<Waiting, 'pool' | 'schema' | 'id'>): Promise<ProjectionRequest> => {
  const request = await requestById(pool, schema, id);
  if (request === undefined) throw new Error(`the request ${id} is gone`);
  return request;
};

/** The running system waits for an operator's word as long as it is told that there still is one. */
const beatMs = 5000;
const present = async <T>({ pool, schema, id, whenReady }: Waiting, work: () => Promise<T>): Promise<T> => {
  if (whenReady !== 'ask' && whenReady !== 'show') return work();
  const beat = (): void => void answerRequest(pool, schema, { id, whenReady }).catch(() => undefined);
  const beats = setInterval(beat, beatMs);
  try {
    return await work();
  } finally {
    clearInterval(beats);
  }
};

type From = Readonly<{ at: number; events: number }>;

/** Shows how it goes until it is in one of these states. */
const until = async (waiting: Waiting, states: readonly string[]): Promise<ProjectionRequest> => {
  const asked = performance.now();
  let began: From | undefined;
  for (;;) {
    const request = await requestOf(waiting);
    const { name, state, events, total } = request;
    const now = performance.now();
    if (states.includes(state)) {
      if (began && events > began.events)
        endProgress(doneLine({ name, done: events - began.events, seconds: (now - began.at) / 1000 }));
      return request;
    }
    if (state === 'waiting' && now - asked > takenUpMaxMs) {
      const isGivenUp = await giveUpRequest(waiting.pool, waiting.schema, waiting.id);
      if (isGivenUp) throw new NotRunning(`the service that keeps ${name} does not take the request up`);
    }
    // What went on where it was cut off has not been done since.
    if (state === 'building') began ??= { at: now, events };
    const { at, events: before } = began ?? { at: now, events };
    showProgress(progressLine({ name, state, events, total, done: events - before, seconds: (now - at) / 1000 }));
    await sleep(pollMs);
  }
};

export type Outcome = Readonly<{ request: ProjectionRequest; report?: DifferenceReport }>;

/** Asks, and shows how it goes until it is done. */
export const carriedOut = async (pool: Pool, schema: string, asked: Asked): Promise<Outcome> => {
  const { id } = await addRequest(pool, schema, asked);
  return { request: await until({ pool, schema, id, whenReady: asked.whenReady }, finished) };
};

/** Until what is under way by itself is done. */
export const untilDone = (pool: Pool, schema: string, id: number): Promise<ProjectionRequest> =>
  until({ pool, schema, id, whenReady: 'cancel' }, finished);

const isAny = ({ added, changed, removed }: DifferenceReport): boolean => added + changed + removed > 0;

type Answer = Readonly<{ whenReady: 'switch' | 'drop'; reason?: string }>;
export type Told = Readonly<{ isDryRun: boolean; hasAgreed: boolean; file?: string }>;

/** What the operator says of what was found; where nobody can be asked, no. */
const answerOf = async (found: DifferenceReport, { isDryRun, hasAgreed }: Told, asked: Asked): Promise<Answer> => {
  if (hasAgreed) return { whenReady: 'switch' };
  if (isDryRun || !isAttended()) return { whenReady: 'drop' };
  if (!(await isAgreed(`Switch ${asked.name} to the rebuilt rows? [y/N] `))) return { whenReady: 'drop' };
  if (!isAny(found) || asked.reason) return { whenReady: 'switch' };
  return { whenReady: 'switch', reason: (await answered('Rows differ. Why? ')) || 'none given' };
};

/** The same, with a look at what differs before it is done. `told`: what the operator has said already. */
export const carriedOutWithLook = async (
  pool: Pool,
  schema: string,
  asked: Asked,
  told: Told & Json,
): Promise<Outcome> => {
  const { id } = await addRequest(pool, schema, asked);
  const waiting = { pool, schema, id, whenReady: asked.whenReady };
  const report = await present(waiting, async () => {
    const { generation, ...request } = await until(waiting, ['ready', ...finished]);
    if (request.state !== 'ready' || generation === null) return undefined;
    const file = told.file === undefined ? {} : { file: told.file };
    const found = await reportOfBuilt({ pool, schema, request: { ...request, generation }, ...file });
    if (told.json !== true) print(differenceText(found));
    await answerRequest(pool, schema, { id, ...(await answerOf(found, told, asked)) });
    return found;
  });
  return { request: await until(waiting, finished), ...(report && { report }) };
};

/** What a request came to. The last two of its outcomes are no success. */
export const tell = (
  { name, state, events, detail, ...counts }: ProjectionRequest,
  { json }: Json,
  said: string,
): void => {
  const { added, changed, removed } = counts;
  if (json === true) printJson({ name, outcome: state, events, added, changed, removed });
  else if (state !== 'failed' && state !== 'cancelled') print(`${name}: ${said}`);
  if (state === 'failed') throw new Error(`${name}: ${detail ?? 'failed'}`);
};
