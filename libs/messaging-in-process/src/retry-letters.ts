import { pause } from '@causeway/concurrency';
import type { InProcessBroker } from './broker.ts';
import type { PostgresDeadLetters } from './postgres-dead-letters.ts';

const pollMs = 500;

/** Delivers again what operators ask for, until `signal`. What is handled goes; what fails is set aside anew. */
export const retryLetters = async (
  broker: Pick<InProcessBroker, 'redeliver'>,
  letters: PostgresDeadLetters,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    try {
      for (const letter of await letters.asked()) {
        if ((await broker.redeliver(letter)) === 'done') await letters.drop(letter.id);
      }
    } catch {
      // The database is away, or the bus closes. What was asked stays asked.
    }
    await pause(pollMs, signal);
  }
};
