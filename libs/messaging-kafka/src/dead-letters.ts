import type { DeadLetter, DeadLetters } from '@causeway/messaging';
import type { IHeaders } from 'kafkajs';
import { deadLettersTopic, letterId } from './names.ts';
import type { Producing } from './producing.ts';
import { recordOf } from './records.ts';
import type { Settings } from './settings.ts';

type Earlier = Readonly<{ attempts: number; firstFailedAt: string | undefined }>;

export type KafkaDeadLetters = Readonly<{
  /** For a message that was set aside before: what came of it then counts on. */
  after(earlier: Earlier): DeadLetters;
  drop(id: string): Promise<void>;
}>;

/** Kept in a topic that forgets all but the newest word on each letter; no word drops it. */
export const kafkaDeadLetters = (
  { sendSoon }: Pick<Producing, 'sendSoon'>,
  { onDeadLetter }: Pick<Settings, 'onDeadLetter'>,
): KafkaDeadLetters => ({
  after: (earlier) => ({
    add: async (letter) => {
      await sendSoon(deadLettersTopic, letterRecord(letter, earlier));
      onDeadLetter(letter);
    },
  }),
  drop: (id) => sendSoon(deadLettersTopic, { key: id, value: null }),
});

const letterRecord = (letter: DeadLetter, earlier: Earlier) => {
  const { group, topic, message, reason, attempts, firstFailedAt, lastFailedAt } = letter;
  const { value, headers } = recordOf(message);
  const told: IHeaders = {
    ...headers,
    'letter-group': group,
    'letter-topic': topic,
    'letter-key': message.key,
    'letter-reason': reason,
    'letter-attempts': String(attempts + earlier.attempts),
    'letter-first-failed-at': earlier.firstFailedAt ?? firstFailedAt,
    'letter-last-failed-at': lastFailedAt,
  };
  return { key: letterId(group, topic, message.id), value, headers: told };
};
