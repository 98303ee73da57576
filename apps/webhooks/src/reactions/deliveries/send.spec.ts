import type { Hold } from '@causeway/work-queue';
import { withRoom } from '@causeway/testing';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { cert, key } from '../../../testing/certificate.ts';
import { allowedHosts } from './address.ts';
import type { Resolve } from './resolve.ts';
import { openSender, type Sender } from './send.ts';

/** Long for what is to succeed, short for what hangs. */
const [timeoutMs, hungMs] = [30_000, 400];
const nowhere: Resolve = async (hostname) => {
  throw Object.assign(new Error(hostname), { code: 'ENOTFOUND' });
};

const cleanUps: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const receiver = (handle: RequestListener): Promise<string> => listening(createServer(handle));

/** Stands where no webhook may go and counts who comes. */
const sentinel = async (): Promise<{ host: string; port: string; connections: () => number }> => {
  let connections = 0;
  const server = createServer((_, response) => response.end()).on('connection', () => (connections += 1));
  const host = await listening(server);
  return { host, port: host.split(':')[1] as string, connections: () => connections };
};

const sender = (allowed: readonly string[], resolve = nowhere, withinMs = timeoutMs): Sender => {
  const opened = openSender({ allowed: allowedHosts(allowed), resolve, timeoutMs: withinMs });
  cleanUps.push(() => opened.close());
  return opened;
};
const post = (url: string) => ({ url, headers: { 'content-type': 'application/json' }, body: '{"id":"evt_1"}' });
const held = (signal = new AbortController().signal): Hold => ({ signal, throwIfLost: () => undefined });

type Handle = (request: IncomingMessage, response: ServerResponse) => void;
const answering =
  (handle: Handle, withinMs = timeoutMs) =>
  async () => {
    const host = await receiver(handle);
    const since = performance.now();
    const outcome = await sender([host], nowhere, withinMs).send(post(`http://${host}/hook`), held());
    expect(performance.now() - since).toBeLessThan(withRoom(withinMs));
    return outcome;
  };

describe('what a receiver does', () => {
  test('the body arrives as it was signed, byte for byte', async () => {
    const got: Buffer[] = [];
    const host = await receiver((request, response) => {
      request.on('data', (chunk: Buffer) => got.push(chunk)).on('end', () => response.writeHead(204).end());
    });
    const outcome = await sender([host]).send(post(`http://${host}/hook`), held());
    expect(outcome).toEqual({ kind: 'answered', statusCode: 204, retryAfterMs: undefined });
    expect(Buffer.concat(got).toString()).toBe('{"id":"evt_1"}');
  });

  test('one that hangs before its headers is given up at the deadline', async () => {
    expect(await answering(() => undefined, hungMs)()).toEqual({ kind: 'failed', error: 'timeout' });
  });

  test('one that drips its answer is given up at the same deadline', async () => {
    const outcome = await answering((_, response) => {
      const drip = setInterval(() => response.write('.'), 50);
      response.on('close', () => clearInterval(drip));
    }, hungMs)();
    expect(outcome).toEqual({ kind: 'failed', error: 'timeout' });
  });

  /** Writes to the bare connection, as no HTTP server would. */
  const raw = (write: (socket: Socket) => void, withinMs = timeoutMs) =>
    answering((request) => write(request.socket), withinMs);
  const often = (socket: Socket, text: string): void => {
    const timer = setInterval(() => socket.write(text), 20);
    socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
  };

  test('one that drips its headers is given up at the same deadline', async () => {
    const outcome = await raw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      often(socket, 'x-more: 1\r\n');
    }, hungMs)();
    expect(outcome).toEqual({ kind: 'failed', error: 'timeout' });
  });

  test('one that is about to answer for ever is given up at the same deadline', async () => {
    const outcome = await raw((socket) => often(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'), hungMs)();
    expect(outcome).toEqual({ kind: 'failed', error: 'timeout' });
  });

  test.each([
    ['headers without end', (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(50_000)}`)],
    ['what is no HTTP', (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['nothing, and hangs up', (socket: Socket) => socket.end()],
    ['less than it announced', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok')],
  ])('one that answers %s has failed', async (_, write) => {
    expect(await raw((socket) => void write(socket.on('error', () => undefined)))()).toMatchObject({ kind: 'failed' });
  });

  test('of an answer of 300 MiB a few KiB are read', async () => {
    let written = 0;
    const megabyte = Buffer.alloc(1 << 20);
    const outcome = await answering((_, response) => {
      const fill = (): void => {
        while (written < 300 << 20 && !response.destroyed) {
          written += megabyte.length;
          if (!response.write(megabyte)) return void response.once('drain', fill);
        }
      };
      fill();
    })();
    expect(outcome).toMatchObject({ kind: 'answered', statusCode: 200 });
    expect(written).toBeLessThan(20 << 20);
  });

  test('one that resets the connection has failed', async () => {
    const outcome = await answering((request) => request.socket.resetAndDestroy())();
    expect(outcome).toMatchObject({ kind: 'failed', error: expect.stringMatching(/econnreset|und_err_socket/) });
  });

  test.each([301, 302, 303, 307, 308])('a redirect by %i is not followed', async (status) => {
    const target = await sentinel();
    const outcome = await answering((_, response) =>
      response.writeHead(status, { location: `http://${target.host}/` }).end(),
    )();
    expect(outcome).toMatchObject({ kind: 'answered', statusCode: status });
    expect(target.connections()).toBe(0);
  });

  test.each([
    ['120', 120_000],
    [new Date(Date.now() + 3_600_000).toUTCString(), 3_600_000],
  ])('Retry-After: %s is understood', async (header, ms) => {
    const outcome = await answering((_, response) => response.writeHead(429, { 'retry-after': header }).end())();
    expect(outcome).toMatchObject({ kind: 'answered', statusCode: 429 });
    const { retryAfterMs } = outcome as { retryAfterMs: number };
    expect(Math.abs(retryAfterMs - ms)).toBeLessThan(60_000);
  });

  test('nobody listens: refused', async () => {
    const host = '127.0.0.1:1';
    expect(await sender([host]).send(post(`http://${host}/`), held())).toEqual({
      kind: 'failed',
      error: 'econnrefused',
    });
  });

  test('a certificate that nobody vouches for is refused', async () => {
    let requests = 0;
    const host = await listening(
      createTlsServer({ key, cert }, (_, response) => void ((requests += 1), response.end())),
    );
    const outcome = await sender([host]).send(post(`https://${host}/`), held());
    expect(outcome).toEqual({ kind: 'failed', error: 'depth_zero_self_signed_cert' });
    expect(requests).toBe(0);
  });

  test('a delivery that must not be sent any more ends at once', async () => {
    const host = await receiver(() => setTimeout(() => stop.abort(), 20));
    const stop = new AbortController();
    const since = performance.now();
    const outcome = await sender([host]).send(post(`http://${host}/`), held(stop.signal));
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(performance.now() - since).toBeLessThan(timeoutMs);
  });
});

test('nothing is sent once the claim is lost, over a connection that there was or while one is made', async () => {
  let [requests, lost] = [0, false];
  const host = await receiver((_, response) => {
    requests += 1;
    response.end();
  });
  const hold: Hold = {
    ...held(),
    throwIfLost: () => {
      if (lost) throw new Error('lost');
    },
  };
  const { send } = sender([host]);
  expect(await send(post(`http://${host}/`), hold)).toMatchObject({ statusCode: 200 });
  lost = true;
  expect(await send(post(`http://${host}/`), hold)).toMatchObject({ kind: 'failed' });
  expect(await sender([host]).send(post(`http://${host}/`), hold)).toMatchObject({ kind: 'failed' });
  expect(requests).toBe(1);
});

describe('no connection is made to an address that is not public', () => {
  const refused = { kind: 'failed', error: 'address_refused' };

  test.each(['127.0.0.1', '2130706433', '0x7f.1', '0177.1', '[::ffff:127.0.0.1]', 'localhost'])(
    'as %s',
    async (host) => {
      const target = await sentinel();
      const outcome = await sender([]).send(post(`http://${host}:${target.port}/`), held());
      expect(outcome).toEqual(refused);
      expect(target.connections()).toBe(0);
    },
  );

  test.each([[['127.0.0.1']], [['8.8.8.8', '127.0.0.1']], [['::ffff:127.0.0.1']], [['64:ff9b::7f00:1']]])(
    'as a name that resolves to %s',
    async (addresses) => {
      const target = await sentinel();
      const { send } = sender([], async () => addresses);
      expect(await send(post(`http://receiver.example:${target.port}/`), held())).toEqual(refused);
      expect(target.connections()).toBe(0);
    },
  );

  test('as another port of a host that is allowed', async () => {
    const target = await sentinel();
    const host = await receiver((_, response) => response.end());
    const { send } = sender([host]);
    expect(await send(post(`http://${target.host}/`), held())).toEqual(refused);
    expect(await send(post(`http://${host}/`), held())).toMatchObject({ kind: 'answered', statusCode: 200 });
    expect(target.connections()).toBe(0);
  });

  test('nor to a proxy that the environment names', async () => {
    const proxy = await sentinel();
    const host = await receiver((_, response) => response.end());
    for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY']) {
      process.env[name] = `http://${proxy.host}`;
      cleanUps.push(() => void delete process.env[name]);
    }
    expect(await sender([host]).send(post(`http://${host}/`), held())).toMatchObject({ statusCode: 200 });
    expect(proxy.connections()).toBe(0);
  });
});
