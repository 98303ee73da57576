import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy, type Proxy } from './proxy.ts';

describe('a proxy', () => {
  let echo: Server;
  let proxy: Proxy;

  beforeAll(async () => {
    echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await startProxy(() => (echo.address() as AddressInfo).port);
  });
  beforeEach(() => proxy.set('open'));
  afterAll(() => {
    proxy.close();
    echo.close();
  });

  const connected = async (): Promise<Socket> => {
    const socket = createConnection(proxy.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));
  const said = async (socket: Socket, word: string): Promise<string> => {
    socket.write(word);
    const [answer] = (await Promise.race([once(socket, 'data'), sleep(1000, ['nothing'], { ref: false })])) as [
      Buffer | string,
    ];
    return answer.toString();
  };

  test('passes on what comes, both ways', async () => {
    const socket = await connected();
    expect(await said(socket, 'hello')).toBe('hello');
    socket.destroy();
  });

  test('takes its time when it delays, and loses nothing', async () => {
    const socket = await connected();
    proxy.set('delayed');
    const began = performance.now();
    expect(await said(socket, 'later')).toBe('later');
    expect(performance.now() - began).toBeGreaterThan(290);
    socket.destroy();
  });

  test('ends what is there when it cuts, and takes nothing new', async () => {
    const before = await connected();
    const ended = closed(before);
    await said(before, 'x');
    proxy.set('cut');
    await ended;
    const after = createConnection(proxy.port, '127.0.0.1').on('error', () => undefined);
    await closed(after);
    proxy.set('open');
    const again = await connected();
    expect(await said(again, 'back')).toBe('back');
    again.destroy();
  });

  test('turns clients away while there is no server', async () => {
    const early = await startProxy(() => undefined);
    const socket = createConnection(early.port, '127.0.0.1').on('error', () => undefined);
    await closed(socket);
    expect(socket.bytesRead).toBe(0);
    early.close();
  });

  test('keeps both sides waiting when it is half open, and ends them with the fault', async () => {
    const before = await connected();
    expect(await said(before, 'x')).toBe('x');
    proxy.set('half-open');
    const during = await connected();
    expect(await Promise.all([said(before, 'a'), said(during, 'b')])).toEqual(['nothing', 'nothing']);
    const ended = Promise.all([closed(before), closed(during)]);
    proxy.set('open');
    await ended;
    const again = await connected();
    expect(await said(again, 'back')).toBe('back');
    again.destroy();
  });
});
