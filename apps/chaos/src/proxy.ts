import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** `half-open`: both sides believe that they are connected, and nothing arrives. */
export type Passage = 'open' | 'cut' | 'delayed' | 'half-open';

export type Proxy = Readonly<{ port: number; set(passage: Passage): void; close(): void }>;

type Passing = (pieces: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;

/** Each way, for each piece that is passed on. */
const delayMs = 150;

/** Two sockets, each of which gets what the other says. One does not outlive the other. */
const join = (client: Socket, server: Socket, passing: Passing): void => {
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  client.once('close', end);
  server.once('close', end);
  pipeline(client, passing, server).catch(end);
  pipeline(server, passing, client).catch(end);
};

/** Stands between one client and one server. `upstream`: the server's port, as it is when a client comes, if it is there. */
export const startProxy = async (upstream: () => number | undefined): Promise<Proxy> => {
  let passage: Passage = 'open';
  const sockets = new Set<Socket>();
  const known = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };

  /** What is held back while nothing arrives is lost: the connection ends with the fault. */
  const passing: Passing = async function* (pieces) {
    for await (const piece of pieces) {
      if (passage === 'delayed') await sleep(delayMs);
      if (passage === 'half-open') await new Promise(() => undefined);
      yield piece;
    }
  };

  const listener = createServer({ noDelay: true }, (client) => {
    known(client);
    if (passage === 'half-open') return;
    const port = passage === 'cut' ? undefined : upstream();
    if (port === undefined) client.resetAndDestroy();
    else join(client, known(createConnection(port, '127.0.0.1')), passing);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');

  const set = (next: Passage): void => {
    if (next === 'cut' || passage === 'half-open') sockets.forEach((socket) => socket.resetAndDestroy());
    passage = next;
  };
  const close = (): void => {
    set('cut');
    listener.close();
  };
  return { port: (listener.address() as AddressInfo).port, set, close };
};
