import {
  connectionsCommands,
  createConnection,
  createEntity,
  createTransfer,
  deleteConnection,
  deleteWebhook,
  eraseConnection,
  getSealingKey,
  ledgerCommands,
  publicKeyOf,
  registerWebhook,
  sealedTo,
  storeCredentials,
  type RegisterWebhookV1,
  syncConnection,
  testWebhook,
  transfersCommands,
  webhooksCommands,
} from '@causeway/contracts';
import type { Message, Reply } from '@causeway/messaging';
import { keysIn, newSecret } from '@causeway/settings';
import { startGateway, type GatewayUnderTest } from './gateway-under-test.ts';
import { insert } from './tables.ts';

export const connectionId = '11111111-1111-4111-8111-111111111111';
export const webhookId = '22222222-2222-4222-8222-222222222222';
export const unknownId = '99999999-9999-4999-8999-999999999999';
const at = '2026-01-02T03:04:05.678Z';
const owner = { organization: 'demo', environment: 'test' };

const connection = {
  ...owner,
  ...{
    id: connectionId,
    entityId: unknownId,
    kind: 'ready',
    institutionId: 'sandbox-instant',
    institutionName: 'Bank',
  },
  ...{ portalUrl: null, status: 'active', syncStatus: 'idle', lastSyncedAt: null, errorCode: null, errorMessage: null },
  setup: {
    ...{ status: 'completed', instructions: null, credentialsPresent: true },
    ...{ actionRequiredBy: 'none', nextAction: 'none' },
  },
  ...{ createdAt: at, updatedAt: at },
};
const webhook = {
  ...owner,
  ...{ id: webhookId, url: 'https://example.com/hook', events: ['test'], secretHint: 'wxyz', active: true },
  ...{ metadata: null, createdAt: at, updatedAt: at },
};

const sealing = 'CAUSEWAY_SEALING_KEYS';
export const sealingKeys = keysIn({ [sealing]: newSecret(sealing) }, sealing);

/** The commands that reached their owner. */
export const received: Message[] = [];
const replies = new Map<string, (message: Message) => Reply | Promise<Reply>>([
  [
    createEntity.type,
    ({ data }) => ({
      ok: true,
      data: { ...data, entityId: unknownId, isDefaultOrgEntity: false, createdAt: at, updatedAt: at },
    }),
  ],
  [createConnection.type, () => ({ ok: true, data: { connection, created: true } })],
  [
    syncConnection.type,
    () => ({
      ok: false,
      problem: { status: 429, type: 'rate_limited', message: 'cooling down', details: { retryAfterSeconds: 4 } },
    }),
  ],
  [
    deleteConnection.type,
    ({ correlationId }) => ({ ok: true, data: { connectionId, before: correlationId === 'again' } }),
  ],
  [getSealingKey.type, () => ({ ok: true, data: { publicKey: publicKeyOf(sealingKeys[0]) } })],
  [storeCredentials.type, () => ({ ok: true, data: connection })],
  [eraseConnection.type, () => ({ ok: true, data: { connectionId } })],
  [
    createTransfer.type,
    () => ({
      ok: false,
      problem: { status: 409, type: 'conflict', message: 'used', details: { transferId: unknownId } },
    }),
  ],
  [
    registerWebhook.type,
    async ({ data }) => {
      const { sealTo } = data as RegisterWebhookV1;
      return { ok: true, data: { webhook, sealedSecret: await sealedTo(sealTo, 'whsec_whole') } };
    },
  ],
  [deleteWebhook.type, () => ({ ok: true, data: { webhookId } })],
  [
    testWebhook.type,
    () => {
      throw new Error('a bug of the owner');
    },
  ],
]);
const commands = new Map(
  [...replies].map(([type, reply]) => [
    type,
    async (message: Message): Promise<Reply> => {
      received.push(message);
      return reply(message);
    },
  ]),
);

/** A gateway whose commands are answered as above, with a connection and a webhook to read. */
export const startOwnedGateway = async (): Promise<GatewayUnderTest> => {
  const topics = [connectionsCommands, ledgerCommands, transfersCommands, webhooksCommands];
  const gateway = await startGateway({ topics, commands });
  await insert(gateway.pool, 'connections', [connection]);
  await insert(gateway.pool, 'webhooks', [webhook]);
  return gateway;
};

/** The body of a good request for a transfer. */
export const transfer = {
  type: 'internal',
  amount: { currency: 'USD', value: '10.00' },
  sourceAccountId: unknownId,
  destination: { type: 'account', accountId: connectionId },
};

export type Named = readonly Readonly<{ path: string }>[];

/** What a refusal names. */
export const errorsIn = (body: Readonly<Record<string, unknown>>): Named =>
  (body['details'] as Readonly<{ errors: Named }>).errors;

/** The same for a payment to others. */
export const payment = {
  ...{ type: 'external', transferType: 'wire', amount: transfer.amount, sourceAccountId: unknownId },
  destination: {
    type: 'external',
    name: 'Acme Supplies',
    paymentIdentifier: {
      ...{ scheme: 'us_wire', countryCode: 'US', currency: 'USD' },
      details: { accountNumber: '990123456788', routingNumber: '021000021' },
    },
  },
};
