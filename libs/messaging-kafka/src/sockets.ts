import type { ISocketFactory } from 'kafkajs';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

const keepAliveMs = 10_000;

export type Sockets = Readonly<{
  factory: ISocketFactory;
  /** Ends every connection at once and lets none be made again: what is left of the client can reach nobody. */
  cutOff(): void;
}>;

/** The client's connections, so that a close need not wait for a broker that does not answer. */
export const trackedSockets = (): Sockets => {
  const open = new Set<Socket>();
  let isCutOff = false;

  const factory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    // The client takes what this throws for a failed connection.
    if (isCutOff) throw new Error('the bus is closed');
    // The types say otherwise, but without TLS there are no options. A certificate is for a name, never an address.
    const options = ssl as typeof ssl | null;
    const server = isIP(host) === 0 ? { servername: host } : {};
    const socket = options
      ? connectTls({ host, port, ...server, ...options }, onConnect)
      : connectPlain({ host, port }, onConnect);
    socket.setKeepAlive(true, keepAliveMs).setNoDelay(true);
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    return socket;
  };

  const cutOff = (): void => {
    isCutOff = true;
    // With an error: the client does not listen for a mere end of this kind, and would wait.
    for (const socket of open) socket.destroy(new Error('the bus is closed'));
  };
  return { factory, cutOff };
};
