import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sandboxConnector } from './connector.ts';

const never = new AbortController().signal;
const connector = sandboxConnector();
let server: Server | undefined;
afterEach(() => server?.closeAllConnections());
afterEach(() => server?.close());

const answering = async (listener: RequestListener) => {
  server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server?.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  return { connectionId: 'c', institutionId: 'sandbox-instant', baseUrl: `http://127.0.0.1:${port}`, fileDropDir: '' };
};

const fetchFrom = async (listener: RequestListener): Promise<void> => {
  for await (const one of connector.open(await answering(listener)).fetch(never)) expect(one.type).toBeDefined();
};

const account = {
  number: '4000000000',
  type: 'checking',
  currency: 'USD',
  name: 'Operating',
  status: 'open',
  ledgerBalance: '1.00',
  availableBalance: '1.00',
  balancesAsOf: '2025-06-02T00:00:00.000Z',
};
const accounts = JSON.stringify({ accounts: [account] });
const covering = (from: string, to: string, more: Record<string, string> = {}) => ({
  'x-row-count': '0',
  'x-covered-from': from,
  'x-covered-to': to,
  ...more,
});

/** The list of accounts, and then for every page these headers. */
const pagesWith =
  (headers: Record<string, string>): RequestListener =>
  ({ url }, response) => {
    if (url?.endsWith('/accounts') === true) response.end(accounts);
    else response.writeHead(200, headers).end('{}');
  };

it.each([
  [401, 'login_refused'],
  [403, 'access_revoked'],
  [429, 'rate_limited'],
  [500, 'unavailable'],
  [503, 'unavailable'],
  [404, 'bad_answer'],
  [302, 'bad_answer'],
])('%d is %s', async (status, kind) => {
  const listener: RequestListener = (_, response) => void response.writeHead(status, { 'retry-after': '7' }).end();
  await expect(fetchFrom(listener)).rejects.toMatchObject({ kind, retryAfterSeconds: 7 });
});

it('asks again after an hour, however long the bank wants to be left alone', async () => {
  const listener: RequestListener = (_, response) => void response.writeHead(429, { 'retry-after': '31536000' }).end();
  await expect(fetchFrom(listener)).rejects.toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 3600 });
});

it('an answer that breaks off is no answer', async () => {
  const listener: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"accounts":', () => response.destroy());
  };
  await expect(fetchFrom(listener)).rejects.toMatchObject({ kind: 'unavailable' });
});

it.each([
  ['no row count', { 'x-covered-from': '2025-01-01', 'x-covered-to': '2025-01-02' }],
  ['no days', { 'x-row-count': '0' }],
  ['days the wrong way round', covering('2025-01-02', '2025-01-01')],
  ['a link to another host', covering('2025-01-01', '2025-01-02', { link: '<//elsewhere.example/>; rel="next"' })],
  ['a link round in a circle', covering('2025-01-01', '2025-01-02', { link: '</again>; rel="next"' })],
])('a page with %s makes the answer a bad one', async (_, headers) => {
  await expect(fetchFrom(pagesWith(headers))).rejects.toMatchObject({ kind: 'bad_answer' });
});
