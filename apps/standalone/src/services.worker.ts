import { answerCalls, busCalls } from '@causeway/messaging-in-process';
import { workerData } from 'node:worker_threads';
import { startServices } from './services.ts';
import type { BehindCalls, Told } from './thread.ts';

/** The thread of the four services behind the gateway, and of their bus. */
const { env, port } = workerData as Told;
const starting = startServices(env);
// Whoever asks for it hears of its failure.
starting.catch(() => undefined);

answerCalls(port, {
  ...busCalls(starting.then(({ bus }) => bus)),
  started: async () => (await starting).kafkaBrokers,
  health: async () => (await starting).health(),
  retire: async () => (await starting).retire(),
  close: async () => (await starting).close(),
} satisfies BehindCalls);
