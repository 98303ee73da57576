import { describeWithKafka, discardSystem, startSystem, testBrokers, type System } from '@causeway/testing';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, linesOf, truthOf } from './client.ts';

describeWithKafka('the one process, told to meet on Kafka', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;

  beforeAll(async () => {
    const env = { CAUSEWAY_BUS: 'kafka', CAUSEWAY_KAFKA_BROKERS: await testBrokers() };
    system = await startSystem({ dataDir, env });
  });
  afterAll(() => discardSystem(dataDir));

  test('mirrors a bank as it does without', async () => {
    const client = clientOf(system);
    const connectionId = await connected(client, 'sandbox-instant');
    const { transactions } = await truthOf(system, connectionId);
    expect(transactions.length).toBeGreaterThan(300);
    expect(linesOf(await client.all('/v1/transactions?limit=500'))).toEqual(linesOf(transactions));
  });

  test('stops cleanly', async () => {
    expect(await system.stop()).toBe(0);
  });
});
