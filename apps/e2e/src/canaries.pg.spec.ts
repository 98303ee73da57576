import { openPool, type Pool } from '@causeway/postgres';
import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canaries, databaseUrlOf, placesOf, readModels, tracesOf } from './canaries.ts';
import { outcomes, startCanaryBank, unreadable, type CanaryBank } from './canary-bank.ts';
import { filesOf } from './canary-files.ts';
import { clientOf, connected, synced, until, type Client, type Json } from './client.ts';

describeWithPostgres('what a bank said', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  const words = canaries();
  const output: Buffer[] = [];
  const heard: Buffer[] = [];
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => heard.push(chunk)).on('end', () => response.end());
  });
  let bank: CanaryBank;
  let system: System;
  let client: Client;
  let pool: Pool;

  beforeAll(async () => {
    bank = await startCanaryBank(words);
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const env = {
      CAUSEWAY_SANDBOX_BANK_URL: bank.url,
      CAUSEWAY_LOG_LEVEL: 'debug',
      CAUSEWAY_REQUESTS_PER_SECOND: '0',
      CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0',
      CAUSEWAY_SYNC_INTERVAL_SECONDS: '0',
      CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${(receiver.address() as AddressInfo).port}`,
    };
    system = await startSystem({ dataDir, env, onOutput: (said) => void output.push(said) });
    client = clientOf(system);
    pool = openPool({ url: databaseUrlOf(dataDir), applicationName: 'e2e', connectionsMax: 1 });
  });
  afterAll(async () => {
    await pool.end();
    await system.stop();
    discardSystem(dataDir);
    receiver.close();
    bank.close();
  });

  const statusOf = async (id: string): Promise<Json> => (await client.get(`/v1/connections/${id}`)).body;

  /** Taken, refused, and one that nobody has read. */
  const dropFiles = async (id: string): Promise<void> => {
    const put = (text: string): void =>
      writeFileSync(join(system.fileDropDir, id, 'inbox', words.word('name of a file')), text);
    filesOf(words).forEach(put);
    await synced(client, id);
    filesOf(words).slice(0, 1).forEach(put);
  };

  const meetFaults = async (id: string): Promise<void> => {
    const codes = new Set<unknown>();
    for (const [path, answer] of unreadable(words)) {
      bank.sayOnce(path, answer);
      await synced(client, id);
      codes.add((await statusOf(id))['errorCode']);
    }
    expect(codes).toEqual(new Set(['unavailable', 'bad_answer', 'statement_refused']));
    await synced(client, id);
  };

  const pay = async (id: string): Promise<readonly Json[]> => {
    const [from, to] = (await client.all(`/v1/accounts?connectionId=${id}`)).map((account) => account.id);
    const amount = { currency: 'USD', type: 'money', value: '1.00' };
    const order = { type: 'internal', amount, sourceAccountId: from, destination: { type: 'account', accountId: to } };
    for (const outcome of outcomes(words)) {
      bank.sayOnce(/^POST .*\/payments$/, outcome);
      expect((await client.send('POST', '/v1/transfers', order)).status).toBe(202);
    }
    await until('all have an outcome', async () =>
      (await client.all('/v1/transfers')).every(({ status }) => !/queued|executing|unknown/.test(String(status))),
    );
    return client.all('/v1/transfers');
  };

  /** A database quotes the row that a constraint refuses: to its own log, and to who wrote it. */
  const refuseRows = async (id: string, table: string, errorCode: string): Promise<void> => {
    await pool.query(`ALTER TABLE ${table} ADD CONSTRAINT refused CHECK (false) NOT VALID`);
    bank.book();
    expect((await client.send('PUT', `/v1/connections/${id}/sync`)).status).toBe(202);
    await until('the sync ends', async () => (await statusOf(id))['errorCode'] === errorCode);
    await pool.query(`ALTER TABLE ${table} DROP CONSTRAINT refused`);
  };

  test('is in read models and in its drop folder, and once it is deleted nowhere', async () => {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
    const events = ['connection.status_changed', 'transactions.sync_available'];
    expect((await client.send('POST', '/v1/webhooks', { url, events })).status).toBe(201);
    const files = await connected(client, 'sandbox-files');
    const api = await connected(client, 'sandbox-instant');
    await dropFiles(files);
    await meetFaults(api);
    const transfers = await pay(api);
    await refuseRows(api, 'ledger.identity', 'statement_refused');
    await refuseRows(api, 'ledger.transactions_v1_g1', 'parked');
    await pool.query('ANALYZE');

    const before = await tracesOf({ dataDir, output }, words);
    expect(placesOf(before).filter((place) => !place.startsWith(`file-drop/${files}/`))).toEqual(readModels);
    for (const folder of ['inbox', 'processed', 'rejected']) {
      expect(before).toContainEqual(expect.stringMatching(`^file-drop/${files}/${folder}/.*: text of a file$`));
    }
    expect(heard.length).toBeGreaterThan(2);
    expect(words.in(Buffer.concat(heard))).toEqual([]);

    for (const id of [files, api]) expect((await client.send('DELETE', `/v1/connections/${id}`)).status).toBe(200);
    await until('its rows are gone', async () => {
      const { rows } = await pool.query('SELECT FROM ledger.transactions_v1_g1 WHERE NOT removed LIMIT 1');
      return rows.length === 0;
    });
    expect(await tracesOf({ dataDir, output }, words)).toEqual([]);
    expect(await client.all('/v1/transfers')).toEqual(transfers);
  }, 300_000);
});
