import { migrate, migration, openPool, type Pool } from '@causeway/postgres';
import { SettingInvalid, type Secret, type SecretSetting, type SecretRing } from '@causeway/settings';
import { createHmac } from 'node:crypto';
import { mastersInUse } from './masters-in-use.ts';

/** `undefined`: a secret that is not at hand. */
export type SecretsAtHand = ReadonlyMap<SecretSetting, SecretRing | undefined>;

const schema = 'installation';

/** What tells a secret from another, and nothing of what it is. */
const checkValueOf = (setting: SecretSetting, { key }: Secret): string =>
  createHmac('sha256', key).update(`check value of ${setting}`).digest('hex');

const table = `
CREATE TABLE ${schema}.check_value (
  setting text NOT NULL,
  id text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (setting, id)
)`;

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

type Fresh = Secret & Readonly<{ setting: SecretSetting }>;

/**
 * Those that no data was made with yet. Throws `SettingInvalid` for what is not as it was. Writes nothing. `pool`: as the
 * owner of the schemas.
 */
export const checkSecrets = async (pool: Pool, atHand: SecretsAtHand): Promise<readonly Fresh[]> => {
  const fresh: Fresh[] = [];
  for (const [setting, secrets] of atHand) {
    const stored = await storedOf(pool, setting);
    if (setting === 'CAUSEWAY_MASTER_KEY' && secrets !== undefined) await missingMaster(pool, secrets);
    compare(setting, secrets, stored);
    for (const secret of secrets ?? []) if (!stored.has(secret.id)) fresh.push({ setting, ...secret });
  }
  return fresh;
};

const note = (pool: Pool, { setting, ...secret }: Fresh): Promise<unknown> =>
  pool.query(`INSERT INTO ${schema}.check_value VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, [
    ...[setting, secret.id, checkValueOf(setting, secret)],
  ]);

/** Checks them, and keeps in mind those that are new: from now on the data is made with them. */
export const admitSecrets = async (databaseUrl: string, atHand: SecretsAtHand): Promise<void> => {
  const pool = openPool({ url: databaseUrl, applicationName: 'secrets', connectionsMax: 1 });
  try {
    const fresh = await checkSecrets(pool, atHand);
    if (fresh.length === 0) return;
    await migrate(databaseUrl, schema, [migration('CheckValues1767225600000', table)]);
    for (const one of fresh) await note(pool, one);
    // Another process may have been first, with another key.
    await checkSecrets(pool, atHand);
  } finally {
    await pool.end();
  }
};
