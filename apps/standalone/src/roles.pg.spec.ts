import { demoKeys } from '@causeway/launcher';
import { inProcessBroker, type InProcessBroker } from '@causeway/messaging-in-process';
import { eventually } from '@causeway/messaging/testing';
import { openMetrics } from '@causeway/observability';
import { openPool, type Pool } from '@causeway/postgres';
import { newSecret, secretsIn, services, type ServiceName } from '@causeway/settings';
import type { OpenService, Service, ServiceConfig } from '@causeway/service';
import {
  describeWithPostgres,
  startSandboxBank,
  testDatabase,
  type SandboxBank,
  type TestDatabase,
} from '@causeway/testing';
import { connectionsService } from '@causeway/services/connections/src/connections.module.ts';
import { gatewayConfig } from '@causeway/services/gateway/src/config.ts';
import { openGateway } from '@causeway/services/gateway/src/gateway.module.ts';
import { migrateGateway } from '@causeway/services/gateway/src/migrations.ts';
import { ledgerService } from '@causeway/services/ledger/src/ledger.module.ts';
import { transfersService } from '@causeway/services/transfers/src/transfers.module.ts';
import { webhooksService } from '@causeway/services/webhooks/src/webhooks.module.ts';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Json = Record<string, unknown>;

const names = services;
type Name = ServiceName;

/** What a service may do beside its own; connections alone makes data keys. */
const alsoMay: Record<Name, RegExp> = {
  gateway: /^SELECT read_models\.\w+_v1$/,
  connections: /^(SELECT|INSERT) data_keys\.data_key$/,
  ledger: /^SELECT data_keys\.data_key$/,
  transfers: /^SELECT read_models\.(accounts|connections)_v1$/,
  webhooks: /^$/,
};
/** Schemas that it works in. Views that it made are its own as well. */
const isOwn = (name: Name, { schema, owner }: Relation): boolean =>
  [name, `${name}_events`, `${name}_keys`].includes(schema) || owner === `causeway_${name}`;

type Relation = Readonly<{ schema: string; table: string; column: string; owner: string }>;

const password = 'not-a-secret';
const secret = '07'.repeat(32);
const sealingKeys = newSecret('CAUSEWAY_SEALING_KEYS');
const suffix = randomUUID().slice(0, 8);
const loginOf = (name: string): string => `login_${name}_${suffix}`;

describeWithPostgres('each service with a login of its own, that is no superuser', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'causeway-roles-'));
  let database: TestDatabase;
  let bank: SandboxBank;
  let broker: InProcessBroker;
  let baseUrl: string;
  let key: string;
  const closing: (() => Promise<unknown>)[] = [];

  const urlOf = (name: string): string => {
    const url = new URL(database.url);
    url.username = loginOf(name);
    url.password = password;
    return url.href;
  };
  const envOf = (name: string, login = name) => ({
    CAUSEWAY_DATABASE_URL: urlOf(login),
    ...{ CAUSEWAY_MASTER_KEY: secret, CAUSEWAY_RESERVATION_SECRET: secret, CAUSEWAY_SEALING_KEYS: sealingKeys },
    ...{ CAUSEWAY_API_KEY_SECRET: secret, CAUSEWAY_CURSOR_SECRET: secret },
    CAUSEWAY_TOKEN_KEYS: newSecret('CAUSEWAY_TOKEN_KEYS'),
    CAUSEWAY_RECEIPT_KEYS: newSecret('CAUSEWAY_RECEIPT_KEYS'),
    CAUSEWAY_SANDBOX_BANK_URL: bank.url,
    CAUSEWAY_FILE_DROP_DIR: join(dataDir, name),
    CAUSEWAY_PORT: '0',
    CAUSEWAY_LOG_LEVEL: 'silent',
  });
  const start = async <C extends ServiceConfig>({ name, config, migrate, open }: Service<C>): Promise<void> => {
    await migrate(config(envOf(name, 'owner')));
    await database.pool.query(`CREATE ROLE ${loginOf(name)} LOGIN PASSWORD '${password}' IN ROLE causeway_${name}`);
    const process = { ready: () => true, detail: () => ({}) };
    const service: OpenService = await open(config(envOf(name)), { bus: broker, metrics: openMetrics(name), process });
    closing.push(service.close);
    await service.listen();
  };

  beforeAll(async () => {
    database = await testDatabase();
    await database.pool.query(`CREATE ROLE ${loginOf('owner')} LOGIN CREATEROLE PASSWORD '${password}'`);
    const { pathname } = new URL(database.url);
    await database.pool.query(`GRANT CREATE ON DATABASE ${pathname.slice(1)} TO ${loginOf('owner')}`);
    bank = await startSandboxBank({ dataDir });
    broker = inProcessBroker({ deadLetters: { add: async () => undefined } });
    await start(connectionsService);
    await start(ledgerService);
    await start(transfersService);
    await start(webhooksService);
    broker.open();
    await migrateGateway(gatewayConfig(envOf('gateway', 'owner')));
    await database.pool.query(
      `CREATE ROLE ${loginOf('gateway')} LOGIN PASSWORD '${password}' IN ROLE causeway_gateway`,
    );
    const gateway = await openGateway(gatewayConfig(envOf('gateway')), { bus: broker, others: () => ({}) });
    await gateway.listen(0, '127.0.0.1');
    closing.push(
      () => broker.close(),
      () => gateway.close(),
    );
    baseUrl = await gateway.getUrl();
    const apiKeySecrets = secretsIn({ CAUSEWAY_API_KEY_SECRET: secret }, 'CAUSEWAY_API_KEY_SECRET');
    const place = { databaseUrl: urlOf('gateway'), eventStore: { kind: 'postgres' }, apiKeySecrets } as const;
    key = (await demoKeys(place, {})).testKey;
  });

  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    await bank.stop();
    const { pool } = database;
    await pool.query(`DROP OWNED BY ${loginOf('owner')} CASCADE`);
    for (const name of ['owner', ...names]) await pool.query(`DROP ROLE ${loginOf(name)}`);
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const send = async (method: string, path: string, body?: object, headers = {}): Promise<[number, Json]> => {
    const answer = await fetch(`${baseUrl}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return [answer.status, text === '' ? {} : (JSON.parse(text) as Json)];
  };
  const rows = async (path: string): Promise<readonly Json[]> => (await send('GET', path))[1]['data'] as Json[];

  test('does all that it is for', async () => {
    const [status, { id }] = await send('POST', 'connections', { institutionId: 'sandbox-instant' });
    expect(status).toBe(201);
    const connection = `connections/${String(id)}`;
    await eventually(async () => expect((await send('GET', connection))[1]).toHaveProperty('lastSyncedAt'));
    expect(await rows('transactions?limit=500')).toHaveLength(500);

    const accounts = (await rows('accounts')).filter(({ currency }) => currency === 'USD');
    const [from, to] = ['checking', 'savings'].map((type) => accounts.find((account) => account['type'] === type));
    const order = {
      type: 'internal',
      amount: { currency: 'USD', type: 'money', value: '1.00' },
      sourceAccountId: from?.['id'],
      destination: { type: 'account', accountId: to?.['id'] },
    };
    const [queued, transfer] = await send('POST', 'transfers', order, { 'idempotency-key': randomUUID() });
    expect([queued, transfer]).toEqual([202, expect.anything()]);
    await eventually(async () => {
      const [, { status: reached }] = await send('GET', `transfers/${String(transfer['id'])}`);
      expect(reached).toBe('completed');
    });

    const [registered] = await send('POST', 'webhooks', { url: 'https://example.com/hook', events: ['test'] });
    expect(registered).toBe(201);
    expect((await send('DELETE', connection))[0]).toBe(200);
    const left = `SELECT count(*)::int AS n FROM ledger_events.append WHERE stream LIKE 'ledger-%'`;
    await eventually(async () => expect((await database.pool.query(left)).rows).toEqual([{ n: 0 }]));
  });

  const relations = async (): Promise<readonly Relation[]> => {
    const { rows: found } = await database.pool.query<Relation>(
      `SELECT n.nspname AS schema, c.relname AS table, pg_get_userbyid(c.relowner) AS owner, a.attname AS column
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = 1
        WHERE c.relkind IN ('r', 'v', 'm', 'p') AND n.nspname !~ '^(pg_|information_schema)'`,
    );
    return found;
  };

  /** Its session may be anything that its login allows: the role that it usually runs as is not what holds it back. */
  const loggedIn = async <T>(name: Name, use: (pool: Pool) => Promise<T>): Promise<T> => {
    const pool = openPool({ url: urlOf(name), applicationName: 'spec', connectionsMax: 2 });
    try {
      return await use(pool);
    } finally {
      await pool.end();
    }
  };
  /** Refused: no right to it, or a view that nobody can write. Whatever else goes wrong fails the spec. */
  const allowedOf = async (pool: Pool, statements: readonly string[]): Promise<readonly string[]> => {
    const session = await pool.connect();
    const quoted = statements.map((statement) => `'${statement}'`).join(', ');
    try {
      await session.query(`
        DO $$ DECLARE s text; BEGIN
          PERFORM set_config('spec.allowed', '', false);
          FOREACH s IN ARRAY ARRAY[${quoted}] LOOP
            BEGIN
              EXECUTE 'EXPLAIN ' || s;
              PERFORM set_config('spec.allowed', current_setting('spec.allowed') || s || E'\\n', false);
            EXCEPTION WHEN insufficient_privilege OR object_not_in_prerequisite_state THEN
            END;
          END LOOP;
        END $$`);
      const { rows: said } = await session.query<{ allowed: string }>(
        `SELECT current_setting('spec.allowed') AS allowed`,
      );
      return (said[0]?.allowed ?? '').split('\n').filter((line) => line !== '');
    } finally {
      session.release();
    }
  };

  test.each(names)('%s can touch nothing of another but what it may read', async (name) => {
    const others = (await relations()).filter((relation) => !isOwn(name, relation));
    expect(others.length).toBeGreaterThan(30);
    const statements = others.flatMap(({ schema, table, column }) => {
      const at = `${schema}.${table}`;
      return [
        [`SELECT ${at}`, `SELECT count(*) FROM ${at}`],
        [`INSERT ${at}`, `INSERT INTO ${at} (${column}) OVERRIDING SYSTEM VALUE SELECT NULL`],
        [`UPDATE ${at}`, `UPDATE ${at} SET ${column} = DEFAULT`],
        [`DELETE ${at}`, `DELETE FROM ${at}`],
      ] as const;
    });
    const allowed = await loggedIn(name, (pool) =>
      allowedOf(
        pool,
        statements.map(([, sql]) => sql),
      ),
    );
    const expected = statements.filter(([what]) => alsoMay[name].test(what)).map(([, sql]) => sql);
    expect(allowed).toEqual(expected);
  });

  test.each(names)('%s cannot become another', async (name) => {
    await loggedIn(name, async (pool) => {
      for (const other of names.filter((candidate) => candidate !== name)) {
        await expect(pool.query(`SET ROLE causeway_${other}`)).rejects.toThrow('permission denied');
      }
      const { rows: own } = await pool.query(
        'SELECT rolsuper, rolcreaterole FROM pg_roles WHERE rolname = current_user',
      );
      expect(own).toEqual([{ rolsuper: false, rolcreaterole: false }]);
    });
  });
});
