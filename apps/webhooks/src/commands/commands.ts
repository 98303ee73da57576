import {
  notificationId,
  type RedeliveryV1,
  type RegisterWebhookV1,
  type RevealedWebhookV1,
  type RotateWebhookSecretV1,
  type UpdateWebhookV1,
  type WebhookRefV1,
  type WebhookV1,
} from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import {
  webhook,
  type Webhook,
  type WebhookCommand,
  type WebhookEvent,
  type WebhookRejection,
} from '@causeway/domain/webhooks';
import { commandHandler, type Context, type EventStore, type Handled, type Recorded } from '@causeway/event-sourcing';
import type { Message, Reply } from '@causeway/messaging';
import type { Quota } from '@causeway/quotas';
import type { WebhookRow } from '@causeway/read-models';
import { contextOf, type EventSourced } from '@causeway/service';
import { v7 as uuidV7 } from 'uuid';
import { applyToWebhook } from '../projections/webhooks/webhooks.ts';
import { endpointOf, streamOf, type Endpoint } from '../reactions/endpoints.ts';
import { invalidUrl, problems, unknownDelivery } from './problems.ts';
import { reachRefusal, type Reach } from './reachable.ts';
import { revealedTo, sealNewSecret } from './secret.ts';

export type Commands = Pick<EventSourced, 'untilVisible' | 'now'> &
  Readonly<{
    handle: Handle;
    reach: Reach;
    webhooks: Quota;
    dataKeys: DataKeys;
    history(webhookId: string): Promise<readonly Recorded<WebhookEvent>[]>;
    /** Tells deliveries of the webhook's new state. */
    sync(webhookId: string): Promise<void>;
    /** Resolves when nothing is sent to it any more by any process, which takes 4 s at most. */
    silence(webhookId: string): Promise<void>;
    /** Resolves when all that is sent to it is signed with its newest secret too, or after 4 s. */
    outlast(webhookId: string): Promise<void>;
    /** Both begin schedules anew, and say how many. */
    redeliver(webhookId: string, eventId: string): Promise<number>;
    redeliverSince(webhookId: string, since: string): Promise<number>;
  }>;

type Handle = (c: WebhookCommand, context: Context) => Promise<Handled<Webhook, WebhookEvent, WebhookRejection>>;

export const handlerIn = (store: EventStore): Handle =>
  commandHandler(store, webhook, { newId: () => uuidV7(), streamOf: ({ webhookId }) => streamOf(webhookId) });

const refusalOf = (code: WebhookRejection['code']) => ({ ok: false, problem: problems[code] }) as const;

/** Undefined: there is none for them. */
const endpointFor = async (commands: Commands, { webhookId, organization, environment }: WebhookRefV1) => {
  const endpoint = endpointOf(await commands.history(webhookId));
  const isTheirs = endpoint?.organization === organization && endpoint.environment === environment;
  return isTheirs && endpoint.status !== 'deleted' ? endpoint : undefined;
};

/** As it is now, whether or not the read model has got there. */
const shownAfter = (history: readonly Recorded<WebhookEvent>[]): WebhookV1 => {
  const row = history.reduce<WebhookRow | undefined>(applyToWebhook, undefined);
  if (row === undefined) throw new Error('the webhook was deleted while this was done to it');
  const { id, url, events, secretHint, active, metadata, createdAt, updatedAt } = row;
  return { id, url, events, secretHint, active, metadata, createdAt, updatedAt };
};

/** With the secret that it has now: the command given again reveals the same one. */
const revealed = async (commands: Commands, webhookId: string, sealTo: string): Promise<RevealedWebhookV1> => {
  const history = await commands.history(webhookId);
  const webhook = shownAfter(history);
  const { sealedSecret } = endpointOf(history) as Endpoint;
  return { webhook, sealedSecret: await revealedTo(sealTo, commands.dataKeys, webhookId, sealedSecret) };
};

/** The id is the command's: delivered again, it registers nothing more. */
export const registerWebhook = async (
  commands: Commands,
  message: Message<RegisterWebhookV1>,
): Promise<Reply<RevealedWebhookV1>> => {
  const { sealTo, ...wanted } = message.data;
  const refusal = await reachRefusal(commands.reach, wanted.url);
  if (refusal !== undefined) return { ok: false, problem: invalidUrl(refusal) };

  const webhookId = message.id;
  const { webhooks } = commands;
  if (!(await webhooks.admits(message.data, webhookId))) return { ok: false, problem: webhooks.problem };
  const secret = await sealNewSecret(commands.dataKeys, webhookId, wanted);
  const data = { ...wanted, ...secret, registeredAt: commands.now() };
  await commands.handle({ type: 'RegisterWebhook', webhookId, webhook: data }, contextOf(message));
  await commands.sync(webhookId);
  await commands.untilVisible();
  await webhooks.settle(message.data, webhookId);
  return { ok: true, data: await revealed(commands, webhookId, sealTo) };
};

export const updateWebhook = async (
  commands: Commands,
  message: Message<UpdateWebhookV1>,
): Promise<Reply<Readonly<{ webhook: WebhookV1 }>>> => {
  const { webhookId, organization, environment, ...change } = message.data;
  const refusal = change.url === undefined ? undefined : await reachRefusal(commands.reach, change.url);
  if (refusal !== undefined) return { ok: false, problem: invalidUrl(refusal) };

  const owner = { organization, environment };
  const command = { type: 'ChangeWebhook', webhookId, owner, change, at: commands.now() } as const;
  const decision = await commands.handle(command, contextOf(message));
  if (decision.outcome === 'rejected') return refusalOf(decision.rejection.code);
  await commands.sync(webhookId);
  await commands.untilVisible();
  return { ok: true, data: { webhook: shownAfter(await commands.history(webhookId)) } };
};

/** When it answers, whoever knows the new secret alone can verify all that comes. */
export const rotateSecret = async (
  commands: Commands,
  message: Message<RotateWebhookSecretV1>,
): Promise<Reply<RevealedWebhookV1>> => {
  const { webhookId, sealTo, ...owner } = message.data;
  // Before a data key is asked for: a webhook that is deleted has none, and must not get one again.
  if ((await endpointFor(commands, message.data)) === undefined) return refusalOf('not_found');
  const secret = await sealNewSecret(commands.dataKeys, webhookId, owner);
  const command = {
    type: 'RotateSecret',
    webhookId,
    owner,
    rotationId: message.id,
    secret,
    at: commands.now(),
  } as const;
  const decision = await commands.handle(command, contextOf(message));
  if (decision.outcome === 'rejected') return refusalOf(decision.rejection.code);
  await commands.sync(webhookId);
  await Promise.all([commands.outlast(webhookId), commands.untilVisible()]);
  return { ok: true, data: await revealed(commands, webhookId, sealTo) };
};

/** When it answers, nothing is sent any more. */
export const deleteWebhook = async (
  commands: Commands,
  message: Message<WebhookRefV1>,
): Promise<Reply<Readonly<{ webhookId: string }>>> => {
  const { webhookId, ...owner } = message.data;
  const command = { type: 'DeleteWebhook', webhookId, owner, at: commands.now() } as const;
  const decision = await commands.handle(command, contextOf(message));
  if (decision.outcome === 'rejected') return refusalOf(decision.rejection.code);
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
  if (decision.outcome === 'rejected') return refusalOf(decision.rejection.code);
  return { ok: true, data: { eventId } };
};

/** Why nothing can be sent to it again. Deliveries are no events of the registration: each is one of work to be done. */
const redeliveryRefusal = async (commands: Commands, of: WebhookRefV1) => {
  const endpoint = await endpointFor(commands, of);
  if (endpoint === undefined) return refusalOf('not_found');
  return endpoint.status === 'inactive' ? refusalOf('inactive') : undefined;
};

export const redeliverEvent = async (
  commands: Commands,
  { data }: Message<WebhookRefV1 & Readonly<{ eventId: string }>>,
): Promise<Reply<RedeliveryV1>> => {
  const refusal = await redeliveryRefusal(commands, data);
  if (refusal !== undefined) return refusal;
  const queued = await commands.redeliver(data.webhookId, data.eventId);
  return queued === 0 ? { ok: false, problem: unknownDelivery } : { ok: true, data: { queued } };
};

export const redeliverSince = async (
  commands: Commands,
  { data }: Message<WebhookRefV1 & Readonly<{ since: string }>>,
): Promise<Reply<RedeliveryV1>> => {
  const refusal = await redeliveryRefusal(commands, data);
  return refusal ?? { ok: true, data: { queued: await commands.redeliverSince(data.webhookId, data.since) } };
};
