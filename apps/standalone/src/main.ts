import { within } from '@causeway/concurrency';
import { launch, makeFileDrop, startChildren, tell, webhookListener, withListener } from '@causeway/launcher';
import { keepHeapSmall } from '@causeway/service';
import { environmentOf, servicesBehind, type Environment } from '@causeway/settings';
import { startGateway } from './gateway.ts';
import { startBehind } from './thread.ts';

await launch(async (launching) => {
  const { settings, closing, signal } = launching;
  const { dataDir, eventStore, keysDatabaseUrl } = settings;
  let rewrite: () => void = () => undefined;
  const children = await startChildren(launching, () => rewrite());
  signal.throwIfAborted();
  const { databaseUrl, sandboxBankUrl, secrets, demoSecrets } = children;
  const listener = await webhookListener(dataDir);
  const env: Environment = {
    ...process.env,
    ...secrets,
    CAUSEWAY_DATABASE_URL: databaseUrl,
    CAUSEWAY_SANDBOX_BANK_URL: sandboxBankUrl,
    CAUSEWAY_FILE_DROP_DIR: makeFileDrop(dataDir),
    ...withListener(process.env, listener),
  };
  // Of every thread.
  keepHeapSmall();
  const behind = startBehind(environmentOf(servicesBehind, env));
  closing(behind.close);
  const kafkaBrokers = await behind.started();
  const { baseUrl, announce, close } = await startGateway(environmentOf(['gateway'], env), behind);
  closing(async (withinMs) => {
    const closed = close();
    // Awaited below, where its failure is told.
    closed.catch(() => undefined);
    await within(withinMs / 4, behind.retire());
    await within(withinMs / 2, closed);
    // What is under way now is cut off, and so answered 503.
    await behind.bus.close(withinMs / 3);
    await closed;
  });
  const pids = () => ({ standalone: process.pid, ...children.pids() });
  const runtime = {
    ...{ databaseUrl, keysDatabaseUrl, eventStore, webhookListener: listener },
    ...(kafkaBrokers !== undefined && { kafkaBrokers }),
  };
  const told = await tell({ dataDir, baseUrl, sandboxBankUrl, pids, demoSecrets }, runtime);
  rewrite = told.rewrite;
  told.sayHello();
  announce();
});
