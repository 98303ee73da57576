import { eventually } from '@causeway/messaging/testing';
import { openMetrics } from '@causeway/observability';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { serveHealth, type Running } from './running.ts';

/** A way to the database on which sessions can be left hanging. */
const detour = async (url: string) => {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const detoured = new URL(url);
  detoured.hostname = '127.0.0.1';
  detoured.port = String((server.address() as AddressInfo).port);
  return {
    url: detoured.href,
    hang: () => sockets.forEach((socket) => socket.unpipe().pause()),
    close: () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
    },
  };
};

describeWithPostgres('the readiness of a process', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  test('comes back after a session with the database that hangs for ever', async () => {
    const way = await detour(database.url);
    const ready = { ready: () => true, detail: () => ({}) };
    const service = { health: ready } as unknown as NonNullable<Running['service']>;
    const running: Running = { bus: undefined, service, health: undefined, stopping: new AbortController() };
    const settings = { databaseUrl: way.url, host: '127.0.0.1', healthPort: 0 } as Parameters<typeof serveHealth>[0];
    const health = await serveHealth(settings, running, ready, openMetrics('small'));
    const status = async () => (await fetch(`http://127.0.0.1:${health.port}/readyz`)).status;

    expect(await status()).toBe(200);
    way.hang();
    expect(await status()).toBe(503);
    await eventually(async () => expect(await status()).toBe(200));
    await health.close();
    way.close();
  });
});
