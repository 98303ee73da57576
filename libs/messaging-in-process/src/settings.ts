import type { DeadLetters } from '@causeway/messaging';

export type InProcessSettings = Readonly<{
  deadLetters: DeadLetters;
  /** Tries of one message before it is set aside. */
  attemptsMax?: number;
  /** The pause before the second try; doubles from try to try. */
  backoffMs?: number;
  backoffMaxMs?: number;
  /** A command with less than this left is not started: its reply would come too late to be told. */
  startMarginMs?: number;
  /** Handlers of one group and topic that run at once. A message that waits for its next try does not count. */
  handlersMax?: number;
  /** How long closing waits for handlers that run. A shutdown has 10 s, and not for the bus alone. */
  drainMs?: number;
}>;

export type Settings = Required<InProcessSettings>;

export const withDefaults = (settings: InProcessSettings): Settings => ({
  attemptsMax: 5,
  backoffMs: 50,
  backoffMaxMs: 2000,
  startMarginMs: 2000,
  handlersMax: 64,
  drainMs: 4000,
  ...settings,
});
