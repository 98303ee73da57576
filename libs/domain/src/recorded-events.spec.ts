import type { Event } from '@causeway/event-sourcing';
import { Ajv } from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGenerator, type SchemaGenerator } from 'ts-json-schema-generator';
import { account } from './connections/account.ts';
import { connection } from './connections/connection.ts';
import { entity } from './connections/entity.ts';
import { reservation } from './connections/reservation.ts';
import { apiKey } from './gateway/api-key.ts';
import { organization } from './gateway/organization.ts';
import { runBooking } from './ledger/run-booking.ts';
import { balanceFactsOf } from './ledger/balances/balance-facts.ts';
import { identityChange } from './ledger/identity.ts';
import { transfer } from './transfers/transfer.ts';
import { webhook } from './webhooks/webhook.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const examplesIn = (file: string): readonly Event[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${file}.events.json`), 'utf8')) as readonly Event[];

/** The union of each stream's events, and its recorded examples. */
const unions: readonly (readonly [type: string, examples: string])[] = [
  ['EntityEvent', 'connections/entity'],
  ['ConnectionEvent', 'connections/connection'],
  ['AccountEvent', 'connections/account'],
  ['ReservationEvent', 'connections/reservation'],
  ['SyncRunEvent', 'connections/sync-run'],
  ['LedgerEvent', 'ledger/ledger'],
  ['ErasureEvent', 'ledger/erasure'],
  ['ReceiptEvent', 'ledger/receipt'],
  ['BookingEvent', 'ledger/booking'],
  ['TransferEvent', 'transfers/transfer'],
  ['WebhookEvent', 'webhooks/webhook'],
  ['ApiKeyEvent', 'gateway/api-key'],
  ['OrganizationEvent', 'gateway/organization'],
];

/** One for all: it reads every source. */
let made: SchemaGenerator | undefined;
const generator = (): SchemaGenerator =>
  (made ??= createGenerator({
    ...{ path: join(import.meta.dirname, '*', '*.ts'), tsconfig: join(root, 'tsconfig.base.json') },
    ...{ topRef: false, skipTypeCheck: true },
  }));

type Case = Readonly<{ properties: Readonly<{ type: Readonly<{ const: string }> }> }>;
type Union = Readonly<{ anyOf?: readonly Case[]; definitions?: object } & Partial<Case>>;

describe.each(unions)('%s', (type, examples) => {
  const events = examplesIn(examples);
  let schema: Union;
  beforeAll(() => {
    schema = generator().createSchema(type) as unknown as Union;
  });

  test('has an example of every case, recorded for good', () => {
    const { anyOf = [schema as Case] } = schema;
    const types = anyOf.map(({ properties }) => properties.type.const);
    expect([...new Set(events.map((event) => event.type))].sort()).toEqual([...types].sort());
  });

  test('is what was recorded: a changed shape is a new case beside the old one', () => {
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    for (const event of events) expect([event, validate(event), validate.errors]).toEqual([event, true, null]);
  });
});

const unforeseen: Event = { type: 'Unforeseen', data: { connectionId: '0190b3a0-0000-7000-8000-000000000002' } };

type Fold = (state: unknown, event: Event) => unknown;
const evolving = ({ initial, evolve }: { initial: unknown; evolve: unknown }) => ({ initial, evolve: evolve as Fold });
const each = (read: (event: never) => unknown) => ({
  initial: null,
  evolve: ((_, event) => read(event as never)) as Fold,
});

const folds = {
  entity: evolving(entity),
  connection: evolving(connection),
  account: evolving(account),
  reservation: evolving(reservation),
  transfer: evolving(transfer),
  webhook: evolving(webhook),
  'api-key': evolving(apiKey),
  booking: evolving(runBooking('0190b3a0-0000-7000-8000-000000000002')),
  ledger: each((event) => [balanceFactsOf(event), identityChange(event, 1 as never, () => Buffer.alloc(32) as never)]),
};

test.each(Object.entries(folds))(
  '%s: every recorded event is read, and what is unforeseen is refused',
  (name, fold) => {
    const [, examples = ''] = unions.find(([, file]) => file.endsWith(`/${name}`)) ?? [];
    const events = examplesIn(examples);
    expect(events.length).toBeGreaterThan(1);
    const states = [fold.initial];
    for (const event of events) states.push(fold.evolve(states.at(-1), event));
    expect(states).not.toContain(undefined);
    // A stream may have ended by then: what is unforeseen is refused after any event but its end.
    expect(() => fold.evolve(states[1], unforeseen)).toThrow('unhandled case');
  },
);

test('organization: what began it is read', () => {
  expect(
    examplesIn('gateway/organization').reduce(
      (state, event) => organization.evolve(state, event as never),
      organization.initial,
    ),
  ).toEqual({
    exists: true,
  });
});
