import type { Topic } from '@causeway/messaging';
import { createHash } from 'node:crypto';

const minuteMs = 60_000;

/**
 * Every process that asks reads one partition, from when it began: nobody wants a reply that is older than its request.
 * Two of them may share one, and pass over the replies to each other.
 */
export const repliesTopic: Topic = { name: 'causeway.replies', partitions: 12, retentionMs: 10 * minuteMs };

/** Compacted, keyed by letter: the newest word on each, for as long as it is not dropped. */
export const deadLettersTopic = 'causeway.dead-letters';

export const groupIdOf = (group: string): string => `causeway.${group}`;

/** The same message of the same group again is the same letter. */
export const letterId = (group: string, topic: string, messageId: string): string =>
  createHash('sha256')
    .update(JSON.stringify([group, topic, messageId]))
    .digest('hex')
    .slice(0, 32);
