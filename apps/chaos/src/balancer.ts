import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP balancer, as platforms have one before their gateways: new connections go in turn to those that are ready. */
export type Balancer = Readonly<{
  port: number;
  /** Where a gateway listens, from now on or later. Resolves when it was looked at once. */
  add(gatewayPort: number): Promise<void>;
  close(): void;
}>;

const lookMs = 200;
const answerMs = 1000;

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(answerMs) }).then(
    ({ status }) => status === 200,
    () => false,
  );

/** Two sockets, each of which gets what the other says, and the other's end. */
const join = (client: Socket, server: Socket): void => {
  client.pipe(server).pipe(client);
  client.on('error', () => server.destroy()).on('close', () => server.end());
  server.on('error', () => client.resetAndDestroy());
};

export const startBalancer = async (): Promise<Balancer> => {
  const ready = new Map<number, boolean>();
  const over = new AbortController();
  let turn = 0;

  const look = async (port: number): Promise<void> => void ready.set(port, await isReady(port));
  const keepLooking = async (port: number): Promise<void> => {
    while (!over.signal.aborted) {
      await sleep(lookMs, undefined, { signal: over.signal }).catch(() => undefined);
      await look(port);
    }
  };
  const listener = createServer({ noDelay: true }, (client) => {
    const ports = [...ready].flatMap(([port, isUp]) => (isUp ? [port] : []));
    const port = ports[turn++ % ports.length];
    if (port === undefined) client.resetAndDestroy();
    else join(client, createConnection({ port, host: '127.0.0.1', noDelay: true }));
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    add: async (port) => {
      await look(port);
      void keepLooking(port);
    },
    close: () => {
      over.abort();
      listener.close();
    },
  };
};
