import {
  keptLoginSecret,
  launch,
  makeFileDrop,
  secretsNow,
  startChildren,
  tell,
  webhookListener,
  withListener,
} from '@causeway/launcher';
import { services } from '@causeway/settings';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepBroker } from './broker.ts';
import { brokersBy, databaseBy, detoursOf, doorsOf } from './detours.ts';
import { keysLogins, serviceLogins } from './logins.ts';
import { gateway, startServices } from './services.ts';

await launch(async (launching) => {
  const { settings, closing, signal } = launching;
  const { dataDir, eventStore, keysDatabaseUrl, port } = settings;
  let rewrite: () => void = () => undefined;
  const onRestart = (): void => rewrite();
  const detours = detoursOf(process.env);
  const starting = keepBroker({ dataDir, doors: doorsOf(detours), onRestart, signal });
  const children = await startChildren(launching, onRestart, [starting]);
  const { url: brokers } = await starting;
  signal.throwIfAborted();
  const { databaseUrl, sandboxBankUrl, demoSecrets } = children;
  const loginUrl = await serviceLogins(databaseUrl, keptLoginSecret(dataDir), services);
  const keysDatabase = await keysLogins(keysDatabaseUrl, keptLoginSecret(dataDir), services);
  const readyFile = join(dataDir, 'ready');
  rmSync(readyFile, { force: true });
  const listener = await webhookListener(dataDir);
  const envOf = (service: string) => ({
    CAUSEWAY_BUS: 'kafka',
    CAUSEWAY_KAFKA_BROKERS: brokersBy(detours[service], brokers),
    CAUSEWAY_DATABASE_URL: databaseBy(detours[service], loginUrl(service)),
    CAUSEWAY_MIGRATION_DATABASE_URL: databaseBy(detours[service], databaseUrl),
    ...keysDatabase(service),
    ...secretsNow(settings),
    CAUSEWAY_SANDBOX_BANK_URL: sandboxBankUrl,
    CAUSEWAY_FILE_DROP_DIR: makeFileDrop(dataDir),
    ...withListener(process.env, listener),
    // What tools read is complete before the system first says that it is ready.
    ...(service === gateway && { CAUSEWAY_READY_FILE: readyFile }),
  });
  signal.throwIfAborted();
  const running = await startServices({ dataDir, port, envOf, onRestart }, launching);
  const pids = () => ({ ...running.pids(), ...children.pids() });
  const told = await tell(
    { dataDir, baseUrl: running.baseUrl, sandboxBankUrl, pids, demoSecrets },
    { databaseUrl, keysDatabaseUrl, eventStore, kafkaBrokers: brokers, webhookListener: listener },
  );
  rewrite = told.rewrite;
  writeFileSync(readyFile, '');
  closing(async () => rmSync(readyFile, { force: true }));
  told.sayHello();
});
