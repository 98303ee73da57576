import { createConnection, createEntity, syncConnection } from '@causeway/contracts';
import type { ConnectionEvent } from '@causeway/domain/connections';
import type { ConnectionRow } from '@causeway/read-models';
import { randomUUID } from 'node:crypto';
import type { Booked } from './ledger-under-test.ts';
import { dataOf, elsewhere, eventually, type ServiceUnderTest } from './service-under-test.ts';

export const scope = { organization: 'demo', environment: 'test' } as const;

type State = Pick<ConnectionRow, 'status' | 'syncStatus' | 'lastSyncedAt' | 'errorCode' | 'errorMessage'>;

export const runStreams = (events: readonly ConnectionEvent[]): readonly string[] =>
  events.flatMap(({ type, data }) => (type === 'SyncRequested' ? [`sync-${data.runId}`] : []));

export const using = (service: () => ServiceUnderTest) => {
  const sql = async <T extends object>(text: string, values: readonly unknown[]): Promise<T[]> =>
    (await service().database.pool.query<T>(text, [...values])).rows;

  const connect = async (institutionId: string, organization = scope.organization as string): Promise<string> => {
    const its = { organization, externalEntityId: randomUUID(), name: null, metadata: null };
    const { entityId } = dataOf(await service().request(createEntity, { ...its, contactEmails: [] }));
    const wanted = { ...scope, organization, entityId, institutionId, portalUrl: null };
    return dataOf(await service().request(createConnection, wanted)).connection.id;
  };
  const state = async (connectionId: string): Promise<State | undefined> => {
    const [row] = await sql<State>(
      `SELECT status, sync_status AS "syncStatus", last_synced_at AS "lastSyncedAt", error_code AS "errorCode",
              error_message AS "errorMessage" FROM read_models.connections_v1 WHERE id = $1`,
      [connectionId],
    );
    return row;
  };
  const idle = (connectionId: string): Promise<State> =>
    eventually(async () => {
      const row = await state(connectionId);
      return row?.syncStatus === 'idle' ? row : undefined;
    });
  const sync = (connectionId: string) => service().request(syncConnection, { ...scope, connectionId });
  const syncToEnd = async (connectionId: string): Promise<State> => {
    dataOf(await sync(connectionId));
    return idle(connectionId);
  };
  const runsOf = (connectionId: string): Booked[] =>
    [...service().runs.values()].filter(({ fetched, parts }) =>
      [fetched?.connectionId, parts[0]?.connectionId].includes(connectionId),
    );
  const eventsOf = async (connectionId: string): Promise<readonly ConnectionEvent[]> => {
    const { store } = elsewhere(service());
    const history = await store.readStream<ConnectionEvent>(`connection-${connectionId}`);
    await store.close();
    return history;
  };
  const scenario = async (connectionId: string, name: string, body: object = {}): Promise<void> => {
    const url = `${service().bank.url}/control/connections/${connectionId}/scenarios/${name}`;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
  };
  const passTime = async (seconds: number): Promise<void> => {
    const url = `${service().bank.url}/control/clock/advance`;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ seconds }) });
    expect(answer.status).toBe(200);
  };
  return { sql, connect, state, idle, sync, syncToEnd, runsOf, eventsOf, scenario, passTime };
};

/** Every part once, and of every page all. */
export const pagesOf = ({ parts }: Booked): number[] => {
  const places = parts.map(({ page, part }) => `${page} ${part}`);
  expect(new Set(places).size).toBe(places.length);
  const pages = [...new Set(parts.map(({ page }) => page))];
  for (const page of pages) {
    const its = parts.filter((part) => part.page === page);
    expect(its.map(({ part }) => part)).toEqual(Array.from({ length: its[0]?.parts ?? 0 }, (_, part) => part));
  }
  return pages;
};
