import { handlingDefaults, type HandlingSettings } from '@causeway/messaging';
import { isOutage } from '@causeway/postgres';

export type InProcessSettings = Pick<HandlingSettings, 'deadLetters'> & Partial<HandlingSettings>;

export const withDefaults = (settings: InProcessSettings): HandlingSettings => ({
  ...handlingDefaults,
  isOutage,
  ...settings,
});
