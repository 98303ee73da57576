import { SettingInvalid } from '@causeway/settings';
import { processSettings } from './settings.ts';

const env = {
  CAUSEWAY_DATABASE_URL: 'postgres://ledger@db/causeway',
  CAUSEWAY_KAFKA_BROKERS: 'one:9092,two:9092',
  CAUSEWAY_KAFKA_PLAINTEXT: 'allowed',
  CAUSEWAY_BUS_SECRET: '05'.repeat(32),
};

describe('the settings of a service’s process', () => {
  test('are few, and have defaults', () => {
    expect(processSettings(env, 3003)).toMatchObject({
      host: '127.0.0.1',
      healthPort: 3003,
      databaseUrl: 'postgres://ledger@db/causeway',
      migrationDatabaseUrl: 'postgres://ledger@db/causeway',
      kafka: { brokers: ['one:9092', 'two:9092'] },
    });
  });

  test('may name another login for the owner of the schemas', () => {
    const owner = 'postgres://owner@db/causeway';
    const { databaseUrl, migrationDatabaseUrl } = processSettings(
      { ...env, CAUSEWAY_MIGRATION_DATABASE_URL: owner },
      1,
    );
    expect([databaseUrl, migrationDatabaseUrl]).toEqual([env.CAUSEWAY_DATABASE_URL, owner]);
    const keys = { ...env, CAUSEWAY_KEYS_DATABASE_URL: 'postgres://ledger@keys/causeway' };
    const keysOwner = { ...keys, CAUSEWAY_KEYS_MIGRATION_DATABASE_URL: owner };
    expect([env, keys, keysOwner].map((of) => processSettings(of, 1).keysMigrationDatabaseUrl)).toEqual([
      ...[undefined, keys.CAUSEWAY_KEYS_DATABASE_URL, owner],
    ]);
  });

  test.each([
    ['a bus that is in one process only', { CAUSEWAY_BUS: 'in-process' }, 'CAUSEWAY_BUS must be kafka'],
    ['a bus that is none', { CAUSEWAY_BUS: 'rabbit' }, 'CAUSEWAY_BUS must be one of'],
    ['no brokers', { CAUSEWAY_KAFKA_BROKERS: '' }, 'CAUSEWAY_KAFKA_BROKERS must be set'],
    ['no database', { CAUSEWAY_DATABASE_URL: ' ' }, 'CAUSEWAY_DATABASE_URL must be set'],
    ['a port that is none', { CAUSEWAY_HEALTH_PORT: '70000' }, 'CAUSEWAY_HEALTH_PORT must be a whole number'],
  ])('are refused by name: %s', (_, wrong, said) => {
    expect(() => processSettings({ ...env, ...wrong }, 3003)).toThrow(SettingInvalid);
    expect(() => processSettings({ ...env, ...wrong }, 3003)).toThrow(said);
  });
});
