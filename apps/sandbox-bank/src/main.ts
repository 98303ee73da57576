import { join } from 'node:path';
import { readConfig } from './config.ts';
import { bankApi } from './http/bank-api.ts';
import { controlApi } from './http/control-api.ts';
import { serve } from './http/server.ts';
import { openOffice } from './office.ts';

const stopTimeoutMs = 2_000;

const config = readConfig(process.env);
const office = await openOffice({ ...config, journalPath: join(config.journalDir, 'journal.ndjson') });

const fail = (cause: unknown): void => {
  console.error('the sandbox bank cannot go on:', cause);
  process.exit(1);
};

const routes = [...bankApi(office), ...controlApi(office)];
const server = await serve({ routes, durable: office.durable, onFault: fail }, config.port);

let stopping: Promise<void> | undefined;
const stop = async (): Promise<void> => {
  setTimeout(() => process.exit(0), stopTimeoutMs).unref();
  server.close();
  server.closeIdleConnections();
  await office.durable();
  server.closeAllConnections();
  await office.close();
  process.exit(0);
};
const stopOnce = (): void => {
  stopping ??= stop().catch(fail);
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stopOnce);
// A parent that is killed cannot say so: the channel to it closes, and the bank goes with it.
if (process.connected) process.once('disconnect', stopOnce);

const address = server.address();
console.log(JSON.stringify({ listening: typeof address === 'object' ? address?.port : config.port }));
