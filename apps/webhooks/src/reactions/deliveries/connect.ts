import { connect as connectTcp, isIPv6, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { hostAndPort, isPublicAddress, mayBePublic, portOf, type AllowedHosts } from './address.ts';
import type { Resolve } from './resolve.ts';

/** The receiver lies where no webhook may go. */
export class AddressRefused extends Error {
  constructor(hostname: string) {
    super(`${hostname} is not a public address`);
  }
}

export type ConnectOptions = Readonly<{ allowed: AllowedHosts; resolve: Resolve; timeoutMs: number }>;

/** The addresses it gives are the ones the socket connects to: a name that changes in between changes nothing. */
const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    const answer = (addresses: readonly string[]): void => {
      if (!addresses.every(isPublicAddress)) return callback(new AddressRefused(hostname), []);
      const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
      const [first] = found;
      if (options.all === true || first === undefined) callback(null, found);
      else callback(null, first.address, first.family);
    };
    resolve(hostname).then(answer, (error: NodeJS.ErrnoException) => callback(error, []));
  };

/**
 * Connects to public addresses only, checked three times: the host, since for an address no lookup is asked; what a
 * lookup gives; and the peer of the socket, before a byte is sent. Takes no notice of proxy variables.
 */
export const guardedConnector = ({ allowed, resolve, timeoutMs }: ConnectOptions): buildConnector.connector => {
  const startTls = buildConnector({ timeout: timeoutMs });
  const lookup = publicLookup(resolve);

  return (options, callback) => {
    const { hostname, protocol } = options;
    const exempt = allowed.has(hostAndPort(options));
    if (!exempt && !mayBePublic(hostname)) return callback(new AddressRefused(hostname), null);

    const place = { host: hostname, port: Number(portOf(options)), noDelay: true };
    const socket = connectTcp(exempt ? place : { ...place, lookup });
    const timer = setTimeout(() => socket.destroy(new Error('connect timeout')), timeoutMs);
    const failed = (error: Error): void => callback(error, null);
    socket.once('error', failed).once('close', () => clearTimeout(timer));
    socket.once('connect', () => {
      clearTimeout(timer);
      if (!exempt && !isPublicAddress(socket.remoteAddress ?? ''))
        return void socket.destroy(new AddressRefused(hostname));
      socket.off('error', failed);
      if (protocol === 'https:') startTls({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
};
