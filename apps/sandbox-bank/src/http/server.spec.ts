import { connect } from 'node:net';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { networkInterfaces } from 'node:os';
import { at, bankUnderTest } from '../../testing/bank-under-test.ts';

const bank = bankUnderTest({ CAUSEWAY_SANDBOX_LARGE_ROWS: '2000' });
beforeAll(async () => {
  await bank.start();
  await bank.openCustomer('caller');
  await bank.openCustomer('large', 'sandbox-large');
});
afterAll(() => bank.discard());

const firstPath = async (connectionId: string): Promise<string> => {
  const { accounts } = await bank.truth(connectionId);
  return `/customers/${connectionId}/accounts/${at(accounts).number}/transactions`;
};

it('opens a customer once, however often it is asked', async () => {
  const open = (institutionId: string) => bank.call('PUT', '/customers/once', { institutionId });
  expect((await open('sandbox-instant')).status).toBe(201);
  expect((await open('sandbox-instant')).status).toBe(200);
  expect((await open('sandbox-large')).status).toBe(409);
  expect((await open('sandbox-files')).status).toBe(400);
});

it('pages follow the link to the end, cover every day once, and say how many rows they hold', async () => {
  let path: string | undefined = await firstPath('large');
  let total = 0;
  let expectedFrom: string | undefined;
  while (path !== undefined) {
    const { headers, body }: Awaited<ReturnType<typeof bank.call>> = await bank.call('GET', path);
    expect([headers.get('x-covered-from'), headers.get('x-covered-to')]).toEqual([body.from, body.to]);
    expect(Number(headers.get('x-row-count'))).toBe(body.transactions.length);
    expect(body.transactions.length).toBeLessThanOrEqual(500);
    expect(body.from).toBe(expectedFrom ?? body.from);
    expectedFrom = new Date(Date.parse(body.to) + 86_400_000).toISOString().slice(0, 10);
    total += body.transactions.length;
    path = /^<(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
  }
  expect(total).toBe(2000);
});

it('the same days read the same, byte for byte', async () => {
  const path = await firstPath('caller');
  expect((await bank.call('GET', path)).text).toBe((await bank.call('GET', path)).text);
});

it.each(['1999-01-01', '2999-01-01', 'yesterday', ''])('days that are not there are refused: "%s"', async (from) => {
  expect((await bank.call('GET', `${await firstPath('caller')}?from=${from}`)).status).toBe(400);
});

it.each([
  ['GET', '/', 404],
  ['GET', '/customers/none/accounts', 404],
  ['GET', '/customers/caller/accounts/none/transactions', 404],
  ['GET', '/customers/%zz/accounts', 404],
  ['POST', '/customers/caller/accounts', 405],
  ['GET', '/control/connections/none', 404],
  ['GET', '/customers/caller/payments/none', 404],
] as const)('%s %s is refused with %d', async (method, path, status) => {
  expect((await bank.call(method, path)).status).toBe(status);
});

it('a body that is too large is refused', async () => {
  const memo = 'x'.repeat(300 * 1024);
  expect((await bank.call('POST', '/customers/caller/payments', { memo })).status).toBe(413);
});

it('duplicate-answer sends the same answer twice on the line', async () => {
  await bank.play('caller', 'duplicate-answer');
  const { accounts } = await bank.truth('caller');
  const numbers = { fromAccountNumber: at(accounts).number, toAccountNumber: at(accounts, 1).number };
  const body = JSON.stringify({ reference: 'twice-1', amount: '1.00', currency: 'USD', ...numbers });
  const { port } = new URL(bank.url());
  const socket = connect(Number(port), '127.0.0.1');
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
  socket.write(
    `POST /customers/caller/payments HTTP/1.1\r\nhost: bank\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  while (said.split('"reference":"twice-1"').length < 3) await once(socket, 'data');
  socket.destroy();
  expect(said.match(/HTTP\/1\.1 201/g)).toHaveLength(2);
});

it('listens on the loopback interface only', async () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4');
  const address = outside?.address ?? '127.0.0.2';
  const answer = fetch(`http://${address}:${new URL(bank.url()).port}/control/clock`);
  await expect(answer).rejects.toThrow();
});

it.each([
  ['bank.example', 421],
  ['127.0.0.1.bank.example', 421],
  ['localhost:3010', 200],
  ['[::1]', 200],
])('is controlled under no name that a page in a browser could have made up: %s', async (host, status) => {
  const asked = request(`${bank.url()}/control/clock`, { headers: { host } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(status);
});

it('says on a signal that it stopped cleanly, even in the middle of a slow answer', async () => {
  const own = bankUnderTest();
  await own.start();
  await own.openCustomer('waiting');
  await own.play('waiting', 'slow', { seconds: 600 });
  const waiting = expect(own.call('GET', '/customers/waiting/accounts')).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await own.stop()).toBe(0);
  await waiting;
  await own.discard();
});
