import { describeWithPostgres, discardSystem, startSystem, type System } from '@causeway/testing';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clientOf, connected, synced, until, type Client, type Row } from './client.ts';

const fixtures = join(import.meta.dirname, '../../../libs/bank-connectors/src/statement-files/fixtures');

describeWithPostgres('statement files in the drop folder', () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), 'causeway-e2e-')), 'var');
  let system: System;
  let client: Client;

  beforeAll(async () => {
    system = await startSystem({ dataDir, env: { CAUSEWAY_SYNC_COOLDOWN_SECONDS: '0' } });
    client = clientOf(system);
  });

  afterAll(async () => {
    await system.stop();
    discardSystem(dataDir);
  });

  const connect = async (externalEntityId: string): Promise<string> => {
    const { body } = await client.send('POST', '/v1/entities', { externalEntityId });
    return connected(client, 'sandbox-files', String(body['entityId']));
  };
  const folder = (id: string, name: string): string => join(system.fileDropDir, id, name);
  const rowsOf = (id: string): Promise<Row[]> => client.all(`/v1/transactions?connectionId=${id}&limit=500`);
  const drop = async (id: string, file: string, name = file): Promise<Row[]> => {
    copyFileSync(join(fixtures, file), join(folder(id, 'inbox'), name));
    await synced(client, id);
    return rowsOf(id);
  };

  test.each([
    [
      'BAI2',
      [
        ['synth-overlap-1-intraday.bai2', 3],
        ['synth-overlap-2-final.bai2', 5],
        ['synth-overlap-3-resent.bai2', 6],
      ],
    ],
    [
      'camt',
      [
        ['synth-overlap-1-052-v08.xml', 3],
        ['synth-overlap-2-053-v08.xml', 4],
      ],
    ],
  ] as const)(
    'the overlapping reports of %s come to the rows of the bank, and a repeat changes nothing',
    async (format, series) => {
      const id = await connect(format);
      for (const [file, count] of series) {
        const rows = await drop(id, file);
        const shown = rows.filter(({ status }) => status !== 'cancelled');
        expect([file, shown.length]).toEqual([file, count]);
        expect(await drop(id, file)).toEqual(rows);
        expect(await drop(id, file, `again-${file}`)).toEqual(rows);
      }
      expect(readdirSync(folder(id, 'inbox'))).toEqual([]);
      expect(readdirSync(folder(id, 'processed'))).toHaveLength(3 * series.length);
    },
  );

  test('a deleted connection leaves no file behind', async () => {
    const id = await connect('leaving');
    await drop(id, 'synth-overlap-1-intraday.bai2');
    copyFileSync(join(fixtures, 'synth-overlap-2-final.bai2'), join(folder(id, 'inbox'), 'unread'));
    expect((await client.send('DELETE', `/v1/connections/${id}`)).status).toBe(200);
    await until('its files are gone', async () => !existsSync(join(system.fileDropDir, id)));
  });

  test('a truncated or hostile file books nothing, says where it broke, and lets the others pass', async () => {
    const id = await connect('broken');
    const whole = readFileSync(join(fixtures, 'synth-overlap-2-final.bai2'), 'utf8');
    writeFileSync(join(folder(id, 'inbox'), 'a-truncated.bai2'), whole.slice(0, whole.indexOf('\n98')));
    const bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><Document>&a;</Document>';
    writeFileSync(join(folder(id, 'inbox'), 'b-hostile.xml'), bomb);
    await synced(client, id);
    expect(await rowsOf(id)).toEqual([]);
    for (const name of ['a-truncated.bai2', 'b-hostile.xml']) {
      expect(existsSync(join(folder(id, 'rejected'), name))).toBe(true);
      const error = JSON.parse(readFileSync(join(folder(id, 'rejected'), `${name}.error.json`), 'utf8')) as object;
      expect(error).toMatchObject({ file: name, reason: expect.any(String) as string });
      expect('line' in error || 'offset' in error).toBe(true);
    }
    expect((await drop(id, 'synth-overlap-2-final.bai2')).length).toBeGreaterThan(0);
  });
});
