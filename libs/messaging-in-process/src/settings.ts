import type { DeliverySettings } from '@causeway/messaging';
import { isOutage } from '@causeway/postgres';

export type Settings = DeliverySettings &
  Readonly<{
    /** A command with less than this left is not started: its reply would come too late to be told. */
    startMarginMs: number;
    /** Handlers of one group and topic that run at once. A message that waits for its next try does not count. */
    handlersMax: number;
  }>;

export type InProcessSettings = Pick<Settings, 'deadLetters'> & Partial<Settings>;

export const withDefaults = (settings: InProcessSettings): Settings => ({
  attemptsMax: 5,
  backoffMs: 50,
  backoffMaxMs: 2000,
  startMarginMs: 2000,
  handlersMax: 64,
  isOutage,
  ...settings,
});
