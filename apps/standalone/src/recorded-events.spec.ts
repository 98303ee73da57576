import type { Event, Sequenced } from '@causeway/event-sourcing';
import { applyToAccount } from '@causeway/services/connections/src/projections/accounts/accounts.ts';
import { applyToConnection } from '@causeway/services/connections/src/projections/connections/connections.ts';
import { applyToEntity } from '@causeway/services/connections/src/projections/entities/entities.ts';
import { publish as publishConnections } from '@causeway/services/connections/src/publishing/publish.ts';
import { applyToApiKey } from '@causeway/services/gateway/src/projections/api-keys/api-keys.ts';
import { balanceBatchOf } from '@causeway/services/ledger/src/projections/balances/balance-events.ts';
import {
  applyToTransaction,
  transactionsOf,
} from '@causeway/services/ledger/src/projections/transactions/transactions.fold.ts';
import { publish as publishLedger } from '@causeway/services/ledger/src/publishing/publish.ts';
import { applyToTransfer } from '@causeway/services/transfers/src/projections/transfers/transfers.ts';
import { applyToWebhook } from '@causeway/services/webhooks/src/projections/webhooks/webhooks.ts';
import { endpointOf } from '@causeway/services/webhooks/src/reactions/endpoints.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const id = '0190b3a0-0000-7000-8000-000000000002';

/** As subscriptions see them. */
const recorded = (events: readonly Event[], category: string): readonly Sequenced[] =>
  events.map((event, n) => ({
    ...event,
    ...{ id: `0190b3a0-0000-7000-8000-1${String(n).padStart(11, '0')}`, stream: `${category}-${id}` },
    ...{ revision: n as never, position: (n + 1) as never, recordedAt: (1_772_359_200_000_000 + n) as never },
    metadata: { correlationId: 'req-1', causationId: 'req-1', organization: 'demo', environment: 'test' },
  }));

const domain = join(import.meta.dirname, '..', '..', '..', 'libs', 'domain', 'src');
const examplesIn = (file: string): readonly Event[] =>
  JSON.parse(readFileSync(join(domain, `${file}.events.json`), 'utf8')) as readonly Event[];

type Fold = (state: unknown, event: never) => unknown;
const over =
  (fold: (event: never) => unknown): Fold =>
  (_, event) =>
    fold(event);

const transactionsIn: Fold = (row, event) => {
  const [id, ...others] = transactionsOf(event);
  expect(others).toEqual([]);
  return id === undefined ? row : applyToTransaction(row as never, event, id);
};

const endpointsIn: Fold = (before, event) => {
  const history = [...((before ?? []) as readonly never[]), event];
  endpointOf(history);
  return history;
};

/** What each service makes of its streams, by the file of their examples. */
const folds: readonly (readonly [name: string, examples: string, fold: Fold])[] = [
  ['the rows of entities', 'connections/entity', (row, event) => applyToEntity(row as never, event, id)],
  ['the rows of connections', 'connections/connection', (row, event) => applyToConnection(row as never, event, id)],
  ['the rows of accounts', 'connections/account', (row, event) => applyToAccount(row as never, event, id)],
  ...['entity', 'connection', 'account', 'reservation', 'sync-run'].map(
    (file) => [`what is told of ${file}`, `connections/${file}`, over(publishConnections)] as const,
  ),
  ['what is told of booking', 'ledger/booking', over((event) => publishLedger(event, false))],
  ...['ledger', 'erasure', 'receipt', 'booking'].flatMap((file) => [
    [`the rows of transactions, by ${file}`, `ledger/${file}`, transactionsIn] as const,
    [`the rows of balances, by ${file}`, `ledger/${file}`, over((event) => balanceBatchOf([event]))] as const,
  ]),
  ['the rows of transfers', 'transfers/transfer', (row, event) => applyToTransfer(row as never, event)],
  ['the rows of webhooks', 'webhooks/webhook', (row, event) => applyToWebhook(row as never, event)],
  ['what deliveries know of webhooks', 'webhooks/webhook', endpointsIn],
  ['the rows of API keys', 'gateway/api-key', (row, event) => applyToApiKey(row as never, event, id)],
];

test.each(folds)('%s: every recorded event is read, and what is unforeseen is refused', (_, examples, fold) => {
  const category = examples.split('/')[1] ?? '';
  const events = recorded(examplesIn(examples), category);
  const [first, ...rest] = events;
  const begun = fold(undefined, first as never);
  expect(() => rest.reduce<unknown>((state, event) => fold(state, event as never), begun)).not.toThrow();
  const [unforeseen] = recorded([{ type: 'Unforeseen', data: {} }], category);
  expect(() => fold(begun, unforeseen as never)).toThrow('unhandled case');
});
