import { freePort } from '@causeway/postgres';
import { readJson } from './data-dir.ts';
import type { RuntimeFile } from './told.ts';

/**
 * Where `causeway webhooks listen` listens: an address of this machine, to which webhooks may be sent beside those that
 * the setting allows. The same after a restart, so that its registration outlasts one.
 */
export const webhookListener = async (dataDir: string): Promise<string> =>
  readJson<Partial<RuntimeFile>>(dataDir, 'runtime.json')?.webhookListener ?? `127.0.0.1:${await freePort()}`;

/** What the webhooks service is told. */
export const withListener = (
  { CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: given = '' }: Readonly<Record<string, string | undefined>>,
  listener: string,
): Readonly<Record<string, string>> => ({
  CAUSEWAY_WEBHOOK_ALLOWED_HOSTS: given === '' ? listener : `${given},${listener}`,
});
