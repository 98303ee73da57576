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

/** As it is kept; `id` is the same for the same message of the same group. */
export type KeptLetter = DeadLetter & Readonly<{ id: string }>;

/** Where a bus puts what it gives up on. The same message of the same group again is the same letter. */
export interface DeadLetters {
  add(letter: DeadLetter): Promise<void>;
}

/** What operators do with what was set aside. */
export interface DeadLetterBox {
  /** The one that failed first comes first. */
  list(): Promise<readonly KeptLetter[]>;
  /** Has the message delivered to its group again. The letter goes when it was handled, and stays when it fails again. */
  retry(id: string): Promise<'asked' | 'unknown'>;
  drop(id: string): Promise<'dropped' | 'unknown'>;
  close(): Promise<void>;
}
