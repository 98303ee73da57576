import type { System } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { undocumented } from './documented.ts';

export type Json = Record<string, unknown>;
export type Row = Json & { id: string; updatedAt: string };
export type Answer = Readonly<{ status: number; body: Json; headers: Headers }>;

const waitTimeoutMs = 60_000;

export type Client = Readonly<{
  get(path: string): Promise<Answer>;
  send(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  /** Every page of a list. */
  all(path: string): Promise<Row[]>;
}>;

export const clientOf = (system: Pick<System, 'baseUrl' | 'testKey'>): Client => {
  const send: Client['send'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(`${system.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${system.testKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const fault = undocumented(method, path, answer.status, text);
    if (fault !== undefined) throw new Error(fault);
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Json, headers: answer.headers };
  };
  const get: Client['get'] = (path) => send('GET', path);
  const all: Client['all'] = async (path) => {
    const rows: Row[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await get(`${path}${cursor}`);
      if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
      rows.push(...(body['data'] as Row[]));
      const page = body['pagination'] as { hasMore: boolean; nextCursor: string };
      if (!page.hasMore) return rows;
      cursor = `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  };
  return { get, send, all };
};

export const until = async (what: string, done: () => Promise<boolean>): Promise<void> => {
  for (const deadline = Date.now() + waitTimeoutMs; Date.now() < deadline; await sleep(50)) {
    if (await done()) return;
  }
  throw new Error(`${what}: not within ${waitTimeoutMs} ms`);
};

/** Asks again for as long as the answer is that the system has too much to do. */
export const insist = async (ask: () => Promise<Answer>): Promise<Answer> => {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await sleep(1000 * Number(answer.headers.get('retry-after')));
  }
};

const isIdle = async (client: Client, id: string): Promise<boolean> => {
  const { body } = await client.get(`/v1/connections/${id}`);
  return body['syncStatus'] === 'idle' && body['lastSyncedAt'] !== undefined;
};

/** A connection whose first sync has ended. */
export const connected = async (client: Client, institutionId: string, entityId?: string): Promise<string> => {
  const { status, body } = await client.send('POST', '/v1/connections', { institutionId, entityId });
  if (status !== 201) throw new Error(`connecting answered ${status} ${JSON.stringify(body)}`);
  const id = String(body['id']);
  await until('the first sync ends', () => isIdle(client, id));
  return id;
};

/** One sync, from its acceptance to its end. The system has to run without a cooldown. */
export const synced = async (client: Client, id: string): Promise<void> => {
  await until(
    'a sync is accepted',
    async () => (await client.send('PUT', `/v1/connections/${id}/sync`)).status === 202,
  );
  await until('the sync ends', () => isIdle(client, id));
};

export const happen = async (system: System, id: string, scenario: string, body: object = {}): Promise<Json[]> => {
  const answer = await fetch(`${system.sandboxBankUrl}/control/connections/${id}/scenarios/${scenario}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${scenario} answered ${answer.status}`);
  return ((await answer.json()) as { changed: Json[] }).changed;
};

export const truthOf = async (system: System, id: string): Promise<{ transactions: Json[]; payments: Json[] }> =>
  (await (await fetch(`${system.sandboxBankUrl}/control/connections/${id}`)).json()) as never;

/** A row that the bank has reversed stays in its books as posted. */
const inBooks = ({ status }: Json): unknown => (status === 'reversed' ? 'posted' : status);

/** What can be compared between our rows and the bank's. */
export const linesOf = (rows: readonly Json[]): string[] =>
  rows
    .map((row) => [inBooks(row), row['postedDate'], row['amount'], row['currency'], row['description']].join(' | '))
    .sort();
