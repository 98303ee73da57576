import { migrate, type Pool } from '@causeway/postgres';
import { SettingInvalid } from '@causeway/settings';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { checkSecrets, checkValueMigration, noteSecret, type FreshSecret, type SecretsAtHand } from './check-values.ts';
import { compare, refusals, type Ours } from './identity.ts';
import { installationSchema, keepPart, keysPart, partMigration, partsIn, withPool, type Part } from './parts.ts';

/** What is compared at every start, before anything is written anywhere. */
export type Installation = Readonly<{
  /** As the owner of the schemas. */
  databaseUrl: string;
  /** The same of the data keys, for a process that uses some; undefined: they are in the main database. */
  keysDatabaseUrl: string | undefined;
  secrets: SecretsAtHand;
  events: Part;
}>;

type Checked = Readonly<{ fresh: readonly FreshSecret[]; parts: readonly Part[] }>;

/** What the main database says of itself and of that part. */
export const oursIn = async (pool: Pool, name: Part['name']): Promise<Ours> => {
  const rows = await partsIn(pool);
  const main = rows.find((row) => row.name === 'main');
  const [first] = rows;
  if (main !== undefined) return { id: main.id, part: rows.find((row) => row.name === name)?.place ?? null };
  if (first === undefined) return { id: null, part: null };
  throw new SettingInvalid(`CAUSEWAY_DATABASE_URL holds the data keys of the installation ${first.id}, and no events`);
};

/** Whether it is to be kept in mind. Throws `SettingInvalid` for what is not as it was left. */
const isNew = async (pool: Pool, part: Part): Promise<boolean> => {
  for (;;) {
    const ours = await oursIn(pool, part.name);
    const theirs = part.elsewhere === undefined ? 'here' : await part.elsewhere.find();
    // Another process was writing both amid this.
    if (!isDeepStrictEqual(await oursIn(pool, part.name), ours)) continue;
    const outcome = compare(ours, theirs);
    if (outcome === 'known' || outcome === 'new') return outcome === 'new';
    const told = { ...part, ours: ours.id, theirs: theirs === 'here' ? null : theirs.id };
    throw new SettingInvalid(refusals[outcome](told));
  }
};

const check = async (pool: Pool, { keysDatabaseUrl, secrets, events }: Installation): Promise<Checked> => {
  const keys = secrets.has('CAUSEWAY_MASTER_KEY') ? [keysPart(keysDatabaseUrl)] : [];
  const parts: Part[] = [];
  for (const part of [events, ...keys]) if (await isNew(pool, part)) parts.push(part);
  const checkWith = (keysPool: Pool): ReturnType<typeof checkSecrets> => checkSecrets(pool, secrets, keysPool);
  return {
    fresh: await (keysDatabaseUrl === undefined ? checkWith(pool) : withPool(keysDatabaseUrl, checkWith)),
    parts,
  };
};

/** Made where there is none yet. */
export const identityOf = async (databaseUrl: string, pool: Pool): Promise<string> => {
  await migrate(databaseUrl, installationSchema, [checkValueMigration, partMigration]);
  await keepPart(pool, 'main', randomUUID(), 'here');
  return ((await partsIn(pool)).find(({ name }) => name === 'main') as { id: string }).id;
};

/** Offered, then claimed, then known to be elsewhere: a start that is cut short in between is made up for by the next. */
const keepInMind = async (pool: Pool, part: Part, id: string): Promise<void> => {
  await keepPart(pool, part.name, id, part.elsewhere === undefined ? 'here' : 'offered');
  await part.elsewhere?.claim(id);
  // Another installation may have been first.
  await isNew(pool, part);
  await pool.query(`UPDATE ${installationSchema}.part SET place = $2 WHERE name = $1`, [
    ...[part.name, part.elsewhere === undefined ? 'here' : 'elsewhere'],
  ]);
};

/** Writes nothing. Throws `SettingInvalid` for what is not as the data was made. */
export const checkInstallation = (installation: Installation): Promise<Checked> =>
  withPool(installation.databaseUrl, (pool) => check(pool, installation));

/** Checks all of it, and keeps in mind what is new: from now on the data is made with it, and there. */
export const admitInstallation = (installation: Installation): Promise<void> =>
  withPool(installation.databaseUrl, async (pool) => {
    const { fresh, parts } = await check(pool, installation);
    if (fresh.length === 0 && parts.length === 0) return;
    const id = await identityOf(installation.databaseUrl, pool);
    for (const part of parts) await keepInMind(pool, part, id);
    for (const secret of fresh) await noteSecret(pool, secret);
    // Another process may have been first, with another key.
    await check(pool, installation);
  });
