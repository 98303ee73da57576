import { programOf, type Program } from '@causeway/testing';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Sending, Sent } from '../../../testing/sender-in-own-network.ts';
import { isPublicAddress } from './address.ts';

/** Every address there is leads to this machine, and from here to no other. */
const network = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo';
const inNetwork = (command: string): string[] => ['--map-root-user', '--net', 'sh', '-c', `${network} && ${command}`];
/** Where the kernel gives no network of one's own, these count as skipped. */
const isAllowed = spawnSync('unshare', inNetwork('true')).status === 0;

const refused = { kind: 'failed', error: 'address_refused' };
const answered = (statusCode: number) => ({ kind: 'answered', statusCode });
const receiver = '8.8.8.8';

/** One that listens stands at each of them. */
const privateAddresses = [
  ...['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
  ...['::1', 'fd00:ec2::254', 'fe80::1', '::ffff:127.0.0.1', '::ffff:10.1.2.3', '::127.0.0.1', '::ffff:0:7f00:1'],
  // NAT64, of everybody and of a network of one's own; 6to4; Teredo.
  ...['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2001:0:7f00:1::1'],
];

(isAllowed ? describe : describe.skip)('where each address is somebody who listens', () => {
  let program: Program;
  let child: ChildProcess;

  beforeAll(async () => {
    program = await programOf(join(import.meta.dirname, '../../../testing/sender-in-own-network.ts'));
    const proxy = 'http://127.0.0.1:8080';
    const proxies = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [
      [name, proxy],
      [name.toUpperCase(), proxy],
    ]);
    const env = { ...process.env, ...Object.fromEntries(proxies), NODE_USE_ENV_PROXY: '1' };
    const command = `exec '${process.execPath}' '${program.path}'`;
    child = spawn('unshare', inNetwork(command), { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    await once(child, 'message');
  });
  afterAll(() => {
    child.kill('SIGKILL');
    program.remove();
  });

  const send = async (sending: Sending): Promise<Sent> => {
    const said = once(child, 'message');
    child.send(sending);
    return ((await said) as [Sent])[0];
  };
  const hostOf = (address: string): string => (address.includes(':') ? `[${address}]` : address);

  test.each([receiver, '2606:4700::1111', '64:ff9b::808:808'])(
    'a public one is reached, as %s and by name',
    async (a) => {
      const byName = { url: `http://public-${a.replaceAll(/\W/g, '-')}.example/`, records: [[a]] };
      for (const sending of [{ url: `http://${hostOf(a)}/` }, byName])
        expect(await send(sending)).toMatchObject({ outcome: answered(200), reached: [a] });
    },
  );

  test.each([
    ...privateAddresses.map((address) => hostOf(address)),
    // As decimal, hex, octal and short.
    ...['2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '0177.1', '127.1', '127.0.1', '167838211', '0xa.1.2.3'],
    ...['127.0.0.1.', '2130706433.', 'localhost', 'localhost.', 'LOCALHOST', 'api.localhost'],
    ...['127.0.0.1:80', '127.0.0.1:443', '127.0.0.1:8080', '[::1]:8080', '127.0.0.1:22'],
    ...['8.8.8.8@127.0.0.1', '8.8.8.8:80@10.1.2.3', 'receiver.example%2f@[::1]'],
    ...['１２７.0.0.1', '127。0。0。1', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:169.254.169.254]'],
  ])('no connection is made to %s', async (host) => {
    for (const protocol of ['http', 'https']) {
      const { outcome, reached } = await send({ url: `${protocol}://${host}/`, records: [['127.0.0.1']] });
      expect([outcome, reached]).toEqual([refused, []]);
    }
  });

  test.each(privateAddresses)(
    'no connection is made by a name to %s, alone, beside a public one or by another name',
    async (a) => {
      for (const [n, records] of [
        [a],
        [receiver, a],
        ['2606:4700::1111', a],
        ['a.example', 'b.example', a],
      ].entries()) {
        const { outcome, reached } = await send({ url: `http://private-${n}.example/`, records: [records] });
        expect([outcome, reached]).toEqual([refused, []]);
      }
    },
  );

  test.each([301, 302, 303, 307, 308])('a redirect by %i leads nowhere', async (status) => {
    for (const host of ['127.0.0.1', '[::1]', '10.1.2.3', '169.254.169.254', 'localhost', '8.8.4.4']) {
      const url = `http://${receiver}/${status}?to=${encodeURIComponent(`http://${host}:8080/`)}`;
      const { outcome, reached } = await send({ url });
      expect(outcome).toMatchObject(answered(status));
      expect(reached.filter((address) => address !== receiver)).toEqual([]);
    }
  });

  test.each(privateAddresses)('a name that was public when its connection was made leads no other to %s', async (a) => {
    const url = `http://flips-${a.replaceAll(/\W/g, '-')}.example/`;
    expect(await send({ url, records: [[receiver]] })).toMatchObject({ outcome: answered(200), reached: [receiver] });
    // Kept alive: the connection is still the one to where the name was.
    expect(await send({ url, records: [[a]], thenHangUp: true })).toMatchObject({
      outcome: answered(200),
      reached: [],
    });
    const { outcome, reached } = await send({ url, records: [[a]] });
    expect([outcome, reached]).toEqual([refused, []]);
  });

  test('a name whose server says something else each time it is asked leads to no private address', async () => {
    const seen: string[] = [];
    for (let n = 0; n < 20; n++) {
      const records = [[receiver], ['127.0.0.1'], ['2606:4700::1111'], ['::1']];
      const url = `http://turns-${n}.example/`;
      seen.push(...(await send({ url, records: [...records.slice(n % 4), ...records.slice(0, n % 4)] })).reached);
    }
    expect(seen).toContain(receiver);
    expect(seen.filter((address) => !isPublicAddress(address))).toEqual([]);
  });
});
