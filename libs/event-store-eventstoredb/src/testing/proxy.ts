import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type Proxy = Readonly<{
  /** The connection string, with the way to the server leading through here. */
  url: string;
  /** Breaks every connection there is. */
  cut(): void;
  /** Connections that are open on the server's side. */
  open(): number;
  close(): Promise<void>;
}>;

/** Stands between a store and a single server. */
export const startProxy = async (url: string): Promise<Proxy> => {
  const [, host = '', port = '2113'] = /\/\/(?:[^@]*@)?([^:/?]+)(?::(\d+))?/.exec(url) ?? [];
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
    sockets.add(far);
    far.on('close', () => sockets.delete(far));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.replace(/\/\/([^@]*@)?[^/?]+/, `//$1127.0.0.1:${(server.address() as AddressInfo).port}`),
    cut,
    open: () => sockets.size,
    /** Safe to repeat. */
    async close() {
      cut();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
};
