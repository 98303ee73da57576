import { gatewayEvents, keyUsability, type KeyUsabilityV1 } from '@causeway/contracts';
import type { Message } from '@causeway/messaging';
import { describeWithPostgres } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway, type GatewayUnderTest } from '../../testing/gateway-under-test.ts';

describeWithPostgres('until when an organization has a usable key', () => {
  let gateway: GatewayUnderTest;
  const told: KeyUsabilityV1[] = [];
  const hear = async ({ data }: Message): Promise<void> => void told.push(data as KeyUsabilityV1);
  const of = (organization: string, environment: string) =>
    told.filter((one) => one.organization === organization && one.environment === environment);
  const lastOf = async (environment: string, count: number): Promise<string | null | undefined> => {
    while (of('acme', environment).length < count) await sleep(10);
    return of('acme', environment).at(-1)?.usableUntil;
  };
  const issue = (environment: 'live' | 'test', year: number) =>
    gateway.issue({ organization: 'acme', environment, expiresAt: `${year}-01-01T00:00:00.000Z` });

  beforeAll(async () => {
    const events = new Map([[keyUsability.type, hear]]);
    gateway = await startGateway({ topics: [gatewayEvents], commands: new Map(), events });
    await gateway.pool.query(`UPDATE read_models.entities_v1 SET organization = 'acme' WHERE organization = 'other'`);
  });
  afterAll(() => gateway.close());

  test('is told with every key that is issued or revoked: the latest expiry of those that are left', async () => {
    const short = await issue('test', 2080);
    expect(await lastOf('test', 1)).toBe('2080-01-01T00:00:00.000Z');
    const long = await issue('test', 2090);
    expect(await lastOf('test', 2)).toBe('2090-01-01T00:00:00.000Z');
    await gateway.revoke(long.keyId);
    expect(await lastOf('test', 3)).toBe('2080-01-01T00:00:00.000Z');
    await gateway.revoke(short.keyId);
    expect(await lastOf('test', 4)).toBeNull();
  });

  test('is told of each environment and organization by itself', async () => {
    await issue('live', 2070);
    expect(await lastOf('live', 1)).toBe('2070-01-01T00:00:00.000Z');
    expect(of('demo', 'test')).toEqual([
      {
        organization: 'demo',
        environment: 'test',
        usableUntil: '2099-01-01T00:00:00.000Z',
        position: expect.any(Number),
      },
    ]);
    expect(of('acme', 'test').at(-1)?.usableUntil).toBeNull();
  });
});
