import type { Transport } from '@causeway/messaging';
import { openMetrics } from '@causeway/observability';
import { freePort } from '@causeway/postgres';
import type { OpenService } from '@causeway/service';
import { newSecret } from '@causeway/settings';
import { describeWithPostgres, testDatabase, type TestDatabase } from '@causeway/testing';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gatewayConfig } from './config.ts';
import { gatewayService } from './gateway.module.ts';
import { migrateGateway } from './migrations.ts';

const never = (): Promise<never> => new Promise(() => undefined);
const bus: Transport = {
  consume: never,
  publish: never,
  request: never,
  ready: () => true,
  close: async () => undefined,
};

describeWithPostgres('a gateway in a process of its own that is told to stop', () => {
  let database: TestDatabase;
  let service: OpenService;
  let port: number;
  let stopping = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  beforeAll(async () => {
    database = await testDatabase();
    port = await freePort();
    const config = gatewayConfig({
      CAUSEWAY_DATABASE_URL: database.url,
      CAUSEWAY_API_KEY_SECRET: '07'.repeat(32),
      CAUSEWAY_CURSOR_SECRET: '08'.repeat(32),
      CAUSEWAY_TOKEN_KEYS: newSecret('CAUSEWAY_TOKEN_KEYS'),
      CAUSEWAY_PORT: String(port),
      CAUSEWAY_LOG_LEVEL: 'silent',
    });
    await migrateGateway(config);
    const process = { ready: () => !stopping, detail: () => ({ stopping }) };
    service = await gatewayService.open(config, { bus, metrics: openMetrics('gateway'), process });
    await service.listen();
  });
  afterAll(() => database.drop());

  type Answer = Readonly<{ status: number | undefined; connection: string | undefined; sameSocket: boolean }>;
  const get = (path: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', path, agent }, (answer) => {
        answer.resume().once('end', () => {
          const { statusCode: status, headers } = answer;
          resolve({ status, connection: headers.connection, sameSocket: asked.reusedSocket });
        });
      });
      asked.once('error', reject).end();
    });

  test('says so, ends each connection with an answer, and answers all the while', async () => {
    await get('/healthz');
    expect(await get('/healthz')).toEqual({ status: 200, connection: 'keep-alive', sameSocket: true });

    stopping = true;
    const began = performance.now();
    const retired = service.retire(9000).then(() => 'retired');
    expect(await get('/readyz')).toMatchObject({ status: 503, connection: 'close' });
    const answers: Answer[] = [];
    while ((await Promise.race([retired, sleep(20, 'still there')])) === 'still there') {
      const answer = await get('/v1/institutions').catch(() => undefined);
      if (answer === undefined) break;
      answers.push(answer);
    }
    expect(performance.now() - began).toBeGreaterThan(1990);
    await retired;
    await service.close();
    expect(answers.length).toBeGreaterThan(1);
    const all = { status: 401, connection: 'close', sameSocket: false };
    expect(answers.filter((answer) => JSON.stringify(answer) !== JSON.stringify(all))).toEqual([]);
    await expect(get('/healthz')).rejects.toThrow('ECONNREFUSED');
  });
});
