import { startHealthServer, type HealthServer, type Readiness } from './health-server.ts';

describe('the health of a process', () => {
  let server: HealthServer;
  let readiness: () => Promise<Readiness>;

  beforeAll(async () => {
    const probes = { readiness: () => readiness(), metrics: async () => 'causeway_up 1\n', metricsType: 'text/plain' };
    server = await startHealthServer({ host: '127.0.0.1', port: 0 }, probes);
  });
  afterAll(() => server.close());

  const get = async (path: string, method = 'GET'): Promise<[number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return [answer.status, await answer.text()];
  };

  test('is that it answers', async () => {
    expect(await get('/healthz')).toEqual([200, '{"status":"ok"}']);
  });

  test('is ready when it says so, and says why it is not', async () => {
    readiness = async () => ({ ready: true, detail: { bus: true } });
    expect(await get('/readyz')).toEqual([200, '{"ready":true,"bus":true}']);
    readiness = async () => ({ ready: false, detail: { bus: false } });
    expect(await get('/readyz')).toEqual([503, '{"ready":false,"bus":false}']);
  });

  test('is told to Prometheus as it reads it', async () => {
    expect(await get('/metrics?name[]=x')).toEqual([200, 'causeway_up 1\n']);
  });

  test('is an error, and no hanging request, when it cannot be told', async () => {
    readiness = () => Promise.reject(new Error('no'));
    expect((await get('/readyz'))[0]).toBe(500);
  });

  test('has no other addresses, and takes nothing', async () => {
    expect((await get('/'))[0]).toBe(404);
    expect((await get('/__proto__'))[0]).toBe(404);
    expect((await get('/readyz', 'POST'))[0]).toBe(404);
  });
});
