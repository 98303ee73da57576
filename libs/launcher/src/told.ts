import type { EventStoreSettings } from '@causeway/event-stores';
import type { SecretRing } from '@causeway/settings';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, writeJson } from './data-dir.ts';
import { demoKeys, demoOrganization } from './demo-keys.ts';

/**
 * What `dev.json` says; names and shape are documented, tools and tests of integrators read it. Without an organization and
 * its keys where the database is not ours.
 */
export type DevFile = Readonly<{
  baseUrl: string;
  sandboxBankUrl: string;
  organization?: string;
  testKey?: string;
  liveKey?: string;
  fileDropDir: string;
  processes: Readonly<Record<string, number>>;
}>;

/** How the command line finds the running system. */
export type RuntimeFile = Readonly<{
  databaseUrl: string;
  /** Absent where data keys are in the same. */
  keysDatabaseUrl: string | undefined;
  eventStore: EventStoreSettings;
  /** Absent where the bus is in the one process. */
  kafkaBrokers?: string;
  webhookListener: string;
}>;

const fileDropDirOf = (dataDir: string): string => join(dataDir, 'file-drop');

/** Where statement files are put; for the owner alone. */
export const makeFileDrop = (dataDir: string): string => {
  mkdirSync(fileDropDirOf(dataDir), { recursive: true, mode: 0o700 });
  return fileDropDirOf(dataDir);
};

const banner = (dev: DevFile): string => `
Causeway       ${dev.baseUrl}
Sandbox bank   ${dev.sandboxBankUrl}
${dev.testKey === undefined ? withoutKey : firstSteps(dev)}`;

const withoutKey = `
Make a key: npx causeway keys create --organization demo --environment test --scope all
`;

const firstSteps = ({ baseUrl, testKey }: DevFile): string => `Test key       ${testKey}

Connect a bank, then read what it says:

curl -s -X POST ${baseUrl}/v1/connections -H 'Authorization: Bearer ${testKey}' -H 'Content-Type: application/json' -d '{"institutionId":"sandbox-instant"}'
curl -s '${baseUrl}/v1/transactions?limit=3' -H 'Authorization: Bearer ${testKey}'
curl -s '${baseUrl}/v1/balances?limit=3' -H 'Authorization: Bearer ${testKey}'
`;

type Running = Readonly<{
  dataDir: string;
  baseUrl: string;
  sandboxBankUrl: string;
  pids(): Readonly<Record<string, number>>;
  /** Those that keys of the demo organization are made with; `undefined`: none are made. */
  demoSecrets: SecretRing | undefined;
}>;

export type Told = Readonly<{
  /** Writes the pids of now. */
  rewrite(): void;
  sayHello(): void;
}>;

/** What tools read: complete before the system first says that it is ready. The keys of the demo organization work. */
export const tell = async (running: Running, runtime: RuntimeFile): Promise<Told> => {
  const { dataDir, baseUrl, sandboxBankUrl, demoSecrets, pids } = running;
  writeJson(dataDir, 'runtime.json', runtime);
  const kept = readJson<Partial<DevFile>>(dataDir, 'dev.json') ?? {};
  const demo = demoSecrets && {
    organization: demoOrganization,
    ...(await demoKeys({ ...runtime, apiKeySecrets: demoSecrets }, kept)),
  };
  const dev = (): DevFile => ({
    baseUrl,
    sandboxBankUrl,
    ...demo,
    fileDropDir: fileDropDirOf(dataDir),
    processes: pids(),
  });
  const rewrite = (): void => writeJson(dataDir, 'dev.json', dev());
  rewrite();
  return { rewrite, sayHello: () => void process.stdout.write(banner(dev())) };
};
