import { inTime, type Bus } from '@causeway/messaging';
import { callsOver, farBus, type BusCalls } from '@causeway/messaging-in-process';
import { environmentOfOthers, type Environment } from '@causeway/settings';
import { join } from 'node:path';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Healths } from './services.ts';

/** What the thread of the services is told, and what it may be asked. */
export type Told = Readonly<{ env: Environment; port: MessagePort }>;
export type BehindCalls = BusCalls & Calls;

type Calls = Readonly<{
  /** Resolves when all of them listen: where the brokers are, when there are any. */
  started(): Promise<string | undefined>;
  /** Throws when they have not answered for a while. */
  health(): Promise<Healths>;
  /** What goes on by itself begins to end, so that nothing waits for a bank any more. */
  retire(): Promise<void>;
  close(): Promise<void>;
}>;

/** The four services behind the gateway and their bus, in a thread of their own: what they compute delays no answer. */
export type Behind = Calls & Readonly<{ bus: Bus }>;

/** As long as the gateway waits for its database. */
const healthWithinMs = 1500;

/** A fault of that thread that nobody has caught is one of the process. */
export const startBehind = (env: Environment): Behind => {
  const { port1, port2: port } = new MessageChannel();
  const told: Told = { env, port };
  const thread = new Worker(join(import.meta.dirname, 'services.worker.js'), {
    workerData: told,
    env: environmentOfOthers(process.env),
    transferList: [port],
  });
  let isEnding = false;
  const fault = (error: Error): void => {
    if (!isEnding) throw error;
  };
  thread.on('error', fault).on('exit', () => fault(new Error('the thread of the services has ended')));
  const far = callsOver<BehindCalls>(port1);
  let isStarted = false;
  return {
    bus: farBus(far),
    started: async () => {
      const kafkaBrokers = await far.call('started');
      isStarted = true;
      return kafkaBrokers;
    },
    health: () => inTime(far.call('health'), healthWithinMs, 'the health of the services'),
    retire: () => far.call('retire'),
    close: async () => {
      isEnding = true;
      // Amid its start there is nothing that a next one would not find.
      if (isStarted) await far.call('close').finally(() => thread.terminate());
      else await thread.terminate();
    },
  };
};
