import { failingMaxMs, type DisableReason } from '@causeway/domain/webhooks';
import { ownContext } from '@causeway/service';
import type { Commands } from '../commands/commands.ts';
import type { EndpointResult } from './deliveries/results.ts';

/** Pure. Why an endpoint must be disabled now, if it must. */
export const verdict = ({ gone, failingSince }: EndpointResult, now: string): DisableReason | undefined => {
  if (gone) return 'gone';
  if (failingSince === null) return undefined;
  return Date.parse(now) - Date.parse(failingSince) >= failingMaxMs ? 'failing' : undefined;
};

/** The outcome of attempts → a command to the registration. Disabling twice records nothing. */
export const judge = async (
  { handle, sync, now }: Pick<Commands, 'handle' | 'sync' | 'now'>,
  result: EndpointResult,
): Promise<void> => {
  const at = now();
  const reason = verdict(result, at);
  if (reason === undefined) return;
  const { endpointId: webhookId } = result;
  await handle({ type: 'DisableWebhook', webhookId, reason, at }, ownContext(result));
  await sync(webhookId);
};
