import { migration, type Pool } from '@causeway/postgres';
import { SettingInvalid, type Secret, type SecretSetting, type SecretRing } from '@causeway/settings';
import { createHmac } from 'node:crypto';
import { mastersInUse } from './masters-in-use.ts';
import { installationSchema as schema } from './parts.ts';

/** `undefined`: a secret that is not at hand. */
export type SecretsAtHand = ReadonlyMap<SecretSetting, SecretRing | undefined>;

/** What tells a secret from another, and nothing of what it is. */
const checkValueOf = (setting: SecretSetting, { key }: Secret): string =>
  createHmac('sha256', key).update(`check value of ${setting}`).digest('hex');

export const checkValueMigration = migration(
  'CheckValues1767225600000',
  `CREATE TABLE ${schema}.check_value (
     setting text NOT NULL,
     id text NOT NULL,
     value text NOT NULL,
     PRIMARY KEY (setting, id)
   )`,
);

/** Check values by id. */
type Stored = ReadonlyMap<string, string>;

const storedOf = async (pool: Pool, setting: SecretSetting): Promise<Stored> => {
  const made = await pool.query(`SELECT FROM pg_tables WHERE schemaname = '${schema}' AND tablename = 'check_value'`);
  if (made.rowCount === 0) return new Map();
  const { rows } = await pool.query<{ id: string; value: string }>(
    `SELECT id, value FROM ${schema}.check_value WHERE setting = $1 ORDER BY id`,
    [setting],
  );
  return new Map(rows.map(({ id, value }) => [id, value]));
};

const compare = (setting: SecretSetting, secrets: SecretRing | undefined, stored: Stored): void => {
  const ids = [...stored.keys()].join(', ');
  if (secrets === undefined) {
    if (stored.size > 0) throw new SettingInvalid(`${setting} must be set: the data was made with the id ${ids}`);
    return;
  }
  for (const secret of secrets) {
    const value = stored.get(secret.id);
    if (value === undefined || value === checkValueOf(setting, secret)) continue;
    throw new SettingInvalid(`${setting} has another key under the id ${secret.id} than the data was made with`);
  }
  if (stored.size > 0 && !secrets.some(({ id }) => stored.has(id))) {
    throw new SettingInvalid(`${setting} lists no key that the data was made with, which have the id ${ids}`);
  }
};

const missingMaster = async (pool: Pool, secrets: SecretRing): Promise<void> => {
  for (const { id, dataKeys } of await mastersInUse(pool)) {
    if (secrets.some((secret) => secret.id === id)) continue;
    throw new SettingInvalid(`CAUSEWAY_MASTER_KEY lacks the id ${id}, which still wraps data keys: ${dataKeys}`);
  }
};

export type FreshSecret = Secret & Readonly<{ setting: SecretSetting }>;

/**
 * Those that no data was made with yet. Throws `SettingInvalid` for what is not as it was. Writes nothing. Both pools: as
 * the owner of the schemas.
 */
export const checkSecrets = async (
  pool: Pool,
  atHand: SecretsAtHand,
  keysPool: Pool,
): Promise<readonly FreshSecret[]> => {
  const fresh: FreshSecret[] = [];
  for (const [setting, secrets] of atHand) {
    const stored = await storedOf(pool, setting);
    if (setting === 'CAUSEWAY_MASTER_KEY' && secrets !== undefined) await missingMaster(keysPool, secrets);
    compare(setting, secrets, stored);
    for (const secret of secrets ?? []) if (!stored.has(secret.id)) fresh.push({ setting, ...secret });
  }
  return fresh;
};

/** From now on the data is made with it. */
export const noteSecret = (pool: Pool, { setting, ...secret }: FreshSecret): Promise<unknown> =>
  pool.query(`INSERT INTO ${schema}.check_value VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [
    ...[setting, secret.id, checkValueOf(setting, secret)],
  ]);
