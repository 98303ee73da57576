import type { Pool } from '@causeway/postgres';
import type { KeyOwner } from './data-keys.ts';
import { presentSchemas } from './masters-in-use.ts';
import { keysSchemaOf, migrateDataKeys } from './migrations.ts';
import { identityOf, oursIn } from './installation.ts';
import { installationSchema, keepPart, keysPart, withPool } from './parts.ts';

/** An installation that may take over the events of another. */
export type Adopting = Readonly<{ databaseUrl: string; keysDatabaseUrl: string | undefined }>;

/** A data key by its id, and the service whose events are encrypted under it. */
export type OwnedKey = KeyOwner & Readonly<{ id: string; service: string }>;

/** Events elsewhere: who had them, the last one now; and under which data keys something is encrypted. */
export type Adopted = Readonly<{ identities: readonly string[]; dataKeys: readonly OwnedKey[] }>;

const keysUrl = ({ databaseUrl, keysDatabaseUrl }: Adopting): string => keysDatabaseUrl ?? databaseUrl;

const missingIn = async (pool: Pool, dataKeys: readonly OwnedKey[]): Promise<readonly OwnedKey[]> => {
  const present = await presentSchemas(pool);
  const found = new Set<string>();
  for (const schema of present) {
    const wanted = dataKeys.filter(({ service }) => keysSchemaOf(service) === schema).map(({ id }) => id);
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM ${schema}.data_key WHERE id = ANY ($1)`, [
      wanted,
    ]);
    for (const { id } of rows) found.add(id);
  }
  return dataKeys.filter(({ id }) => !found.has(id));
};

/**
 * The data keys that are lost, or none: `ours`, the events belong to this installation. Throws where the two would not
 * fit. Writes nothing.
 */
export const checkAdoption = async (adopting: Adopting, adopted: Adopted): Promise<readonly OwnedKey[] | 'ours'> => {
  const { databaseUrl, keysDatabaseUrl } = adopting;
  const now = adopted.identities.at(-1) ?? null;
  const ours = await withPool(databaseUrl, (pool) => oursIn(pool, 'events'));
  if (ours.part === 'elsewhere' && ours.id === now) return 'ours';
  const wasOurs = ours.id !== null && adopted.identities.includes(ours.id);
  if ((ours.part === 'here' || ours.part === 'elsewhere') && !wasOurs) {
    throw new Error('CAUSEWAY_DATABASE_URL has events of its own: only a new database can adopt the events of another');
  }
  const keys = await keysPart(keysDatabaseUrl).elsewhere?.find();
  if (keys !== undefined && keys.id !== null && keys.id !== now && keys.id !== ours.id) {
    throw new Error(`CAUSEWAY_KEYS_DATABASE_URL belongs to the installation ${keys.id}, and these events do not`);
  }
  return withPool(keysUrl(adopting), (pool) => missingIn(pool, adopted.dataKeys));
};

/** The keys come over with the events. Those that are lost count as destroyed: nothing waits for what cannot be read. */
const adoptKeys = async (adopting: Adopting, id: string, lost: readonly OwnedKey[]): Promise<void> => {
  const url = keysUrl(adopting);
  await keysPart(adopting.keysDatabaseUrl).elsewhere?.claim(id);
  const schemas = new Set(lost.map(({ service }) => keysSchemaOf(service)));
  for (const schema of schemas) await migrateDataKeys(url, schema);
  await withPool(url, async (pool) => {
    await pool.query(`UPDATE ${installationSchema}.part SET id = $1`, [id]);
    for (const { id: key, organization, environment, service } of lost) {
      await pool.query(
        `INSERT INTO ${keysSchemaOf(service)}.data_key (id, organization, environment, destroyed_at)
         VALUES ($1, $2, $3, now()) ON CONFLICT DO NOTHING`,
        [key, organization, environment],
      );
    }
  });
};

/** After `checkAdoption`. What is cut short may be done again. `takeOver`: writes whose the events are from now on. */
export const adopt = (
  adopting: Adopting,
  lost: readonly OwnedKey[],
  takeOver: (id: string) => Promise<void>,
): Promise<string> =>
  withPool(adopting.databaseUrl, async (pool) => {
    const id = await identityOf(adopting.databaseUrl, pool);
    await keepPart(pool, 'events', id, 'offered');
    await adoptKeys(adopting, id, lost);
    await takeOver(id);
    await pool.query(`UPDATE ${installationSchema}.part SET place = 'elsewhere' WHERE name = 'events'`);
    return id;
  });
