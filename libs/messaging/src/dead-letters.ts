import type { Message } from './message.ts';

/** A message that a group could not handle, set aside with the reason. */
export type DeadLetter = Readonly<{
  group: string;
  topic: string;
  message: Message;
  reason: string;
  attempts: number;
  firstFailedAt: string;
  lastFailedAt: string;
}>;

/** Where a bus puts what it gives up on. The same message of the same group again is the same letter. */
export interface DeadLetters {
  add(letter: DeadLetter): Promise<void>;
}
