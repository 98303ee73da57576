import { admitInstallation, checkInstallation, type Installation } from '@causeway/data-keys';
import { eventsPart, type EventStoreSettings } from '@causeway/event-stores';
import {
  newSecret,
  optional,
  SettingInvalid,
  secretSettings,
  secretsIn,
  type Environment,
  type SecretSetting,
} from '@causeway/settings';
import { randomBytes } from 'node:crypto';
import { readJson, writeJson } from './data-dir.ts';

/** As they are written, by the name of their setting. */
export type SecretTexts = Readonly<Partial<Record<SecretSetting, string>>>;
export type AllSecrets = Readonly<Record<SecretSetting, string>>;

/** Those of the environment. A database of others may outlive the data directory: then each is to be given. */
export const givenSecrets = (env: Environment, each: boolean): SecretTexts => {
  const given: Partial<Record<SecretSetting, string>> = {};
  for (const name of secretSettings) {
    const text = optional(env, name);
    if (text === undefined && each) throw new SettingInvalid(`${name} must be set where CAUSEWAY_DATABASE_URL is`);
    if (text === undefined) continue;
    secretsIn(env, name);
    given[name] = text;
  }
  return given;
};

const keptFile = 'secrets.json';
/** Of the services' passwords at the database, where each has a login of its own. */
const logins = 'logins';

type Kept = SecretTexts & Readonly<{ [logins]?: string }>;

const keptIn = (dataDir: string): Kept => {
  try {
    const kept = readJson<Kept>(dataDir, keptFile) ?? {};
    if (Object.values(kept).every((secret) => typeof secret === 'string')) return kept;
    throw new Error('not what was kept');
  } catch {
    throw new SettingInvalid(`${dataDir}/${keptFile}, which holds ${secretSettings.join(', ')}, cannot be read`);
  }
};

const atHand = (texts: SecretTexts) =>
  new Map(
    secretSettings.map((name) => [name, texts[name] === undefined ? undefined : secretsIn(texts, name)] as const),
  );

type Place = Readonly<{
  dataDir: string;
  secrets: SecretTexts;
  keysDatabaseUrl: string | undefined;
  eventStore: EventStoreSettings;
}>;

/**
 * Every secret: given, kept from an earlier start, or made now. They are those that the data was made with, and it is
 * where it was left, or nothing is written. What is given is kept nowhere.
 */
export const allSecrets = async (place: Place, databaseUrl: string): Promise<AllSecrets> => {
  const { dataDir, secrets: given, keysDatabaseUrl, eventStore } = place;
  const installation = (texts: SecretTexts): Installation => ({
    ...{ databaseUrl, keysDatabaseUrl, secrets: atHand(texts), events: eventsPart(eventStore) },
  });
  const kept = keptIn(dataDir);
  const known: SecretTexts = { ...kept, ...given };
  await checkInstallation(installation(known));
  const missing = secretSettings.filter((name) => known[name] === undefined);
  const made: SecretTexts = Object.fromEntries(missing.map((name) => [name, newSecret(name)]));
  // Before the database hears of them: there would be no other copy.
  if (missing.length > 0) writeJson(dataDir, keptFile, { ...kept, ...made });
  const all = Object.fromEntries(secretSettings.map((name) => [name, known[name] ?? made[name]])) as AllSecrets;
  await admitInstallation(installation(all));
  return all;
};

/** As they are now: who edits the kept ones and ends one process after the other rotates them without a stop. */
export const secretsNow = ({ dataDir, secrets: given }: Pick<Place, 'dataDir' | 'secrets'>): SecretTexts => ({
  ...keptIn(dataDir),
  ...given,
});

/** Made once; when it is lost the next start gives every service another password. */
export const keptLoginSecret = (dataDir: string): string => {
  const kept = keptIn(dataDir);
  const secret = kept[logins] ?? randomBytes(32).toString('base64');
  if (kept[logins] === undefined) writeJson(dataDir, keptFile, { ...kept, [logins]: secret });
  return secret;
};
