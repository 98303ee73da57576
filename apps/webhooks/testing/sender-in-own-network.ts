/** A program: sends webhooks in a network where every address is this machine, and says where it came. */
import { createServer } from 'node:http';
import { allowedHosts } from '../src/reactions/deliveries/address.ts';
import { resolver } from '../src/reactions/deliveries/resolve.ts';
import { openSender } from '../src/reactions/deliveries/send.ts';
import { startNameServer, type Records } from './name-server.ts';

/** `records`: of every name; several are given in turn, one for each question. */
export type Sending = Readonly<{ url: string; records?: readonly Records[]; thenHangUp?: boolean }>;
/** `reached`: the address of every connection that was made. */
export type Sent = Readonly<{ outcome: unknown; reached: readonly string[] }>;

const ports = [80, 443, 8080];
let turns: readonly Records[] = [];
let asked = 0;
let reached: string[] = [];

const nameServer = await startNameServer(() => turns[asked++ % turns.length] ?? []);
const servers = ports.map((port) =>
  createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://receiver');
    const location = searchParams.get('to');
    response.writeHead(Number(pathname.slice(1)) || 200, location === null ? {} : { location }).end();
  })
    .on('connection', ({ localAddress = '' }) => reached.push(localAddress.replace(/^::ffff:(?=\d+\.)/, '')))
    .listen(port, '::'),
);
const resolve = resolver([nameServer.address]);
const { send } = openSender({ allowed: allowedHosts([]), resolve, timeoutMs: 20_000 });
const hold = { signal: new AbortController().signal, throwIfLost: () => undefined };

const answer = async ({ url, records = [], thenHangUp = false }: Sending): Promise<void> => {
  [turns, asked, reached] = [records, 0, []];
  const outcome = await send({ url, headers: {}, body: '{}' }, hold);
  if (thenHangUp) servers.forEach((server) => server.closeAllConnections());
  process.send?.({ outcome, reached } satisfies Sent);
};
process.on('message', (sending: Sending) => void answer(sending));
await Promise.all(servers.map((server) => new Promise((done) => server.once('listening', done))));
process.send?.('ready');
