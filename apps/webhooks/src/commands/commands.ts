import { sealedTo, type RegisteredWebhookV1, type RegisterWebhookV1, type WebhookRefV1 } from '@causeway/contracts';
import type { DataKeys, KeyOwner } from '@causeway/data-keys';
import {
  webhook,
  type Webhook,
  type WebhookCommand,
  type WebhookEvent,
  type WebhookRejection,
} from '@causeway/domain/webhooks';
import { commandHandler, type Context, type EventStore, type Handled } from '@causeway/event-sourcing';
import type { Message, Reply } from '@causeway/messaging';
import type { Quota } from '@causeway/quotas';
import { contextOf, type EventSourced } from '@causeway/service';
import { v7 as uuidV7 } from 'uuid';
import { notificationId } from '../consumers/notification-id.ts';
import { applyToWebhook } from '../projections/webhooks/webhooks.ts';
import { streamOf, type Endpoint } from '../reactions/endpoints.ts';
import { invalidUrl, problems } from './problems.ts';
import { reachRefusal, type Reach } from './reachable.ts';
import { hintOf, newSecret, sealSecret, unsealSecret } from './secret.ts';

export type Commands = Pick<EventSourced, 'untilVisible' | 'now'> &
  Readonly<{
    handle: Handle;
    reach: Reach;
    webhooks: Quota;
    dataKeys: DataKeys;
    endpoint(webhookId: string): Promise<Endpoint | undefined>;
    /** Tells deliveries of the webhook's new state. */
    sync(webhookId: string): Promise<void>;
    /** Resolves when nothing is sent to it any more by any process, which takes 4 s at most. */
    silence(webhookId: string): Promise<void>;
  }>;

type Handle = (c: WebhookCommand, context: Context) => Promise<Handled<Webhook, WebhookEvent, WebhookRejection>>;

export const handlerIn = (store: EventStore): Handle =>
  commandHandler(store, webhook, { newId: () => uuidV7(), streamOf: ({ webhookId }) => streamOf(webhookId) });

/** The command given again has the secret that it had. */
const secretOf = async ({ dataKeys, endpoint }: Commands, webhookId: string, owner: KeyOwner) => {
  const known = await endpoint(webhookId);
  if (known !== undefined) {
    const { sealedSecret } = known;
    return {
      secret: await unsealSecret(dataKeys, webhookId, sealedSecret),
      sealedSecret: sealedSecret.toString('base64'),
    };
  }
  const secret = newSecret();
  return { secret, sealedSecret: await sealSecret(dataKeys, webhookId, owner, secret) };
};

/** The id is the command's: delivered again, it registers nothing more. */
export const registerWebhook = async (
  commands: Commands,
  message: Message<RegisterWebhookV1>,
): Promise<Reply<RegisteredWebhookV1>> => {
  const { sealTo, ...wanted } = message.data;
  const { url } = wanted;
  const refusal = await reachRefusal(commands.reach, url);
  if (refusal !== undefined) return { ok: false, problem: invalidUrl(refusal) };

  const webhookId = message.id;
  const { webhooks } = commands;
  if (!(await webhooks.admits(message.data, webhookId))) return { ok: false, problem: webhooks.problem };
  const { secret, sealedSecret } = await secretOf(commands, webhookId, wanted);
  const data = { ...wanted, sealedSecret, secretHint: hintOf(secret), registeredAt: commands.now() };
  await commands.handle({ type: 'RegisterWebhook', webhookId, webhook: data }, contextOf(message));
  await commands.sync(webhookId);
  await commands.untilVisible();
  await webhooks.settle(message.data, webhookId);
  const row = applyToWebhook(undefined, { type: 'WebhookRegistered', data, stream: streamOf(webhookId) });
  if (row === undefined) throw new Error(`${webhookId}: registered without a row`);
  return { ok: true, data: { webhook: row, sealedSecret: await sealedTo(sealTo, secret) } };
};

/** When it answers, nothing is sent any more. */
export const deleteWebhook = async (
  commands: Commands,
  message: Message<WebhookRefV1>,
): Promise<Reply<Readonly<{ webhookId: string }>>> => {
  const { webhookId, ...owner } = message.data;
  const command = { type: 'DeleteWebhook', webhookId, owner, at: commands.now() } as const;
  const decision = await commands.handle(command, contextOf(message));
  if (decision.outcome === 'rejected') return { ok: false, problem: problems[decision.rejection.code] };
  await commands.sync(webhookId);
  await commands.silence(webhookId);
  await commands.dataKeys.destroy(webhookId);
  await commands.untilVisible();
  return { ok: true, data: { webhookId } };
};

/** The test itself is made from what is recorded here. */
export const testWebhook = async (
  commands: Commands,
  message: Message<WebhookRefV1>,
): Promise<Reply<Readonly<{ eventId: string }>>> => {
  const { webhookId, ...owner } = message.data;
  const eventId = notificationId(message.id, 'test');
  const command = { type: 'QueueTest', webhookId, owner, eventId, at: commands.now() } as const;
  const decision = await commands.handle(command, contextOf(message));
  if (decision.outcome === 'rejected') return { ok: false, problem: problems[decision.rejection.code] };
  return { ok: true, data: { eventId } };
};
