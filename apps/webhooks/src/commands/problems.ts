import type { WebhookRejection } from '@causeway/domain/webhooks';
import type { Problem } from '@causeway/messaging';

/** What each refusal is to a client. A new refusal does not compile until it has a line here. */
export const problems: Record<WebhookRejection['code'], Problem> = {
  not_found: { status: 404, type: 'not_found', message: 'There is no such webhook.' },
  inactive: { status: 409, type: 'conflict', message: 'The webhook is not active.' },
  not_subscribed: { status: 409, type: 'conflict', message: 'The webhook is not subscribed to test events.' },
};

export const unknownDelivery: Problem = {
  ...{ status: 404, type: 'not_found' },
  message: 'There is no such delivery.',
};

/** `message`: what the URL must be and is not. */
export const invalidUrl = (message: string): Problem => ({
  status: 400,
  type: 'invalid_request',
  message: `url ${message}.`,
  details: { errors: [{ path: 'url', message }] },
});
