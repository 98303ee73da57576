import {
  transactionContent,
  type ErasureEvent,
  type LedgerEvent,
  type TransactionContent,
} from '@causeway/domain/ledger';
import { fieldNamesOf, transactionFields } from '@causeway/read-models';
import type { Position, RecordedAt, Revision, Sequenced } from '@causeway/event-sourcing';
import type { TransactionEvent } from './transaction-event.ts';
import { applyToTransaction, transactionsOf } from './transactions.fold.ts';
import { transactionColumns, type TransactionRow } from './transactions.table.ts';

const owner = { entityId: 'e', connectionId: 'c' };
const identified = { transactionId: 't', bankId: 'b', day: '2026-03-01', valueDate: null, typeCode: null };
const content = (change: Partial<TransactionContent> = {}): TransactionContent =>
  transactionContent({
    postedDate: '2026-03-01',
    amount: '5.00',
    currency: 'USD',
    description: 'coffee',
    rail: 'card',
    ...change,
  });
const pending = content({ postedDate: null });

const recorded = (status: 'pending' | 'posted', shown: TransactionContent): LedgerEvent => ({
  type: 'TransactionRecorded',
  data: { ...owner, ...identified, status, content: shown },
});
const wasPending = { status: 'pending', postedDate: null, amount: '5.00' } as const;
const wasPosted = { status: 'posted', postedDate: '2026-03-01', amount: '5.00' } as const;
const withdrawn: LedgerEvent = { type: 'TransactionWithdrawn', data: { transactionId: 't', previous: wasPosted } };
const cancelled: LedgerEvent = { type: 'TransactionCancelled', data: { transactionId: 't' } };
const removed: ErasureEvent = {
  type: 'TransactionsRemoved',
  data: { ...owner, accountId: 'a', transactionIds: ['t'] },
};
const reversed: LedgerEvent = { type: 'TransactionReversed', data: { transactionId: 't', counterId: 'u' } };
const unreversed: LedgerEvent = { type: 'TransactionReversalWithdrawn', data: { transactionId: 't' } };
const restated: LedgerEvent = {
  type: 'TransactionRestated',
  data: { ...identified, status: 'posted', content: content({ description: 'tea' }), previous: wasPosted },
};
const relabelled: LedgerEvent = {
  type: 'TransactionRelabelled',
  data: { ...identified, bankId: 'other', content: content() },
};
const reinstated: LedgerEvent = {
  type: 'TransactionReinstated',
  data: { ...owner, ...identified, status: 'posted', content: content({ amount: '6.00' }) },
};
const pendingAgain: LedgerEvent = {
  type: 'TransactionRestated',
  data: { ...identified, status: 'pending', content: pending, previous: { ...wasPending, status: 'cancelled' } },
};
const person = { reason: 'ticket 7', operator: 'anna' };
const remapped: LedgerEvent = {
  type: 'TransactionRemapped',
  data: { ...identified, status: 'posted', content: content({ description: 'tea' }), previous: wasPosted, ...person },
};
const corrected = (change: 'added' | 'changed' | 'removed'): LedgerEvent => ({
  type: 'TransactionCorrected',
  data: { ...owner, transactionId: 't', change, answered: [], ...person },
});
const postedAs = (amount: string): LedgerEvent => ({
  type: 'TransactionPosted',
  data: { ...identified, content: content({ amount }), previous: wasPending },
});

/** The n-th event is recorded n microseconds after 2026-03-05, under the id `event n`. */
const base = Date.UTC(2026, 2, 5) * 1000;
const at = (n: number): string => `2026-03-05T00:00:00.00000${n}Z`;
const sequenced = (event: TransactionEvent, n: number): Sequenced<TransactionEvent> => ({
  ...event,
  id: `event ${n}`,
  stream: 'ledger-a',
  revision: n as Revision,
  position: n as Position,
  recordedAt: (base + n) as RecordedAt,
  metadata: { correlationId: 'r', causationId: 'm', organization: 'demo', environment: 'test' },
});

const folded = (events: readonly TransactionEvent[]): TransactionRow | undefined =>
  events.reduce<TransactionRow | undefined>(
    (row, event, i) =>
      transactionsOf(event).includes('t') ? applyToTransaction(row, sequenced(event, i + 1), 't') : row,
    undefined,
  );

type Shown = Omit<TransactionRow, 'json'> & Readonly<{ json: object }>;
/** A row, and the members of its text. */
const seen = (row: TransactionRow | undefined): Shown | undefined =>
  row && { ...row, json: JSON.parse(row.json) as object };

const row = (change: Partial<Shown>, json: object = {}): Shown => {
  const updatedAt = change.updatedAt ?? at(1);
  return {
    ...{ id: 't', organization: 'demo', environment: 'test', entityId: 'e', connectionId: 'c', accountId: 'a' },
    ...{ status: 'posted', rail: 'card', sortDate: '2026-03-01' },
    ...{ addedAt: at(1), updatedAt, eventId: 'event 1', removed: false },
    ...{ cause: null, reason: null, operator: null },
    json: {
      ...{ id: 't', connectionId: 'c', accountId: 'a', status: 'posted', postedDate: '2026-03-01', updatedAt },
      ...{ amount: '5.00', currency: 'USD', entryType: 'credit', description: 'coffee', rail: 'card' },
      ...{ rawDescription: null, customerReference: null, bankReference: null, baiCode: null, category: null },
      ...{ subcategory: null, mcc: null, merchantName: null, counterpartyName: null, counterpartyAccountMasked: null },
      ...json,
    },
    ...change,
  };
};
const gone = (updatedAt: string): Partial<Shown> => ({
  ...{ status: null, rail: null, sortDate: null, removed: true, updatedAt },
  json: { id: 't', connectionId: 'c', accountId: 'a', updatedAt },
});

const table: Readonly<Record<string, readonly [events: TransactionEvent[], row: Shown | undefined]>> = {
  'a row appears as the bank showed it': [[recorded('posted', content())], row({})],
  'a row that posts keeps its id and the time it appeared': [
    [recorded('pending', pending), postedAs('5.10')],
    row({ updatedAt: at(2), eventId: 'event 2', cause: 'posted' }, { amount: '5.10' }),
  ],
  'a restated row is as it is now': [
    [recorded('posted', content()), restated],
    row({ updatedAt: at(2), eventId: 'event 2', cause: 'restated' }, { description: 'tea' }),
  ],
  'another id at the bank moves nothing': [[recorded('posted', content()), relabelled], row({})],
  'a pending row that vanished is cancelled, and keeps its content': [
    [recorded('pending', pending), cancelled],
    row(
      { status: 'cancelled', sortDate: 'infinity', updatedAt: at(2), eventId: 'event 2', cause: 'cancelled' },
      { status: 'cancelled', postedDate: null },
    ),
  ],
  'a reversed row keeps its content': [
    [recorded('posted', content()), reversed],
    row({ status: 'reversed', updatedAt: at(2), eventId: 'event 2', cause: 'reversed' }, { status: 'reversed' }),
  ],
  'reversed twice, it has changed once': [
    [recorded('posted', content()), reversed, reversed],
    row({ status: 'reversed', updatedAt: at(2), eventId: 'event 2', cause: 'reversed' }, { status: 'reversed' }),
  ],
  'a reversed row that is restated is reversed': [
    [recorded('posted', content()), reversed, restated],
    row(
      { status: 'reversed', updatedAt: at(3), eventId: 'event 3', cause: 'restated' },
      { status: 'reversed', description: 'tea' },
    ),
  ],
  'a cancelled row that is pending again is reinstated': [
    [recorded('pending', pending), cancelled, pendingAgain],
    row(
      { status: 'pending', sortDate: 'infinity', updatedAt: at(3), eventId: 'event 3', cause: 'reinstated' },
      { status: 'pending', postedDate: null },
    ),
  ],
  'a row of which the reversal goes is posted': [
    [recorded('posted', content()), reversed, unreversed],
    row({ updatedAt: at(3), eventId: 'event 3', cause: 'reinstated' }),
  ],
  'of a removed row no reversal is told': [
    [recorded('posted', content()), withdrawn, reversed, unreversed],
    row({ ...gone(at(2)), eventId: 'event 2', cause: 'withdrawn' }),
  ],
  'a withdrawn row keeps ids and time, and nothing of the bank': [
    [recorded('posted', content()), withdrawn],
    row({ ...gone(at(2)), eventId: 'event 2', cause: 'withdrawn' }),
  ],
  'a withdrawn row that comes back first appeared when it did': [
    [recorded('posted', content()), withdrawn, reinstated],
    row({ updatedAt: at(3), eventId: 'event 3', cause: 'reinstated' }, { amount: '6.00' }),
  ],
  'an amount says nothing in front of its digits, and the entry agrees with its sign': [
    [recorded('posted', content({ amount: '-007.10', counterpartyAccountEnd: '12' }))],
    row({}, { amount: '-7.10', entryType: 'debit', counterpartyAccountMasked: '••••12' }),
  ],
  'zero is a credit': [
    [recorded('posted', content({ amount: '-0.00' }))],
    row({}, { amount: '0.00', entryType: 'credit' }),
  ],
  'what no reader of JSON need understand is replaced': [
    [recorded('posted', content({ description: 'a\0b\ud83d\\u0000' }))],
    row({}, { description: 'a\ufffdb\ufffd\\u0000' }),
  ],
  'an erased row keeps ids and time, and nothing of the bank': [
    [recorded('posted', content()), removed],
    row({ ...gone(at(2)), addedAt: at(2), eventId: 'event 2' }),
  ],
  'an erased row is the same when nothing else is left of its events': [
    [relabelled, removed],
    row({ ...gone(at(2)), addedAt: at(2), eventId: 'event 2' }),
  ],
  'a remapped row is as it is read now': [
    [recorded('posted', content()), remapped],
    row({ updatedAt: at(2), eventId: 'event 2', cause: 'remapped', ...person }, { description: 'tea' }),
  ],
  'a corrected row is as it was folded, and has changed': [
    [recorded('posted', content()), corrected('changed')],
    row({ updatedAt: at(2), eventId: 'event 2', cause: 'corrected', ...person }),
  ],
  'a row that was not shown until its correction first appeared then': [
    [recorded('posted', content()), corrected('added')],
    row({ addedAt: at(2), updatedAt: at(2), eventId: 'event 2', cause: 'corrected', ...person }),
  ],
  'a row that should not have been shown is removed': [
    [recorded('posted', content()), corrected('removed')],
    row({ ...gone(at(2)), eventId: 'event 2', cause: 'corrected', ...person }),
  ],
  'it is removed, too, when no event made it': [
    [corrected('removed')],
    row({ ...gone(at(1)), addedAt: at(1), eventId: 'event 1', cause: 'corrected', ...person }),
  ],
  'a change of a row that is not there makes none': [
    [postedAs('5.00'), cancelled, withdrawn, remapped, corrected('changed')],
    undefined,
  ],
};

describe('a row of the transactions read model', () => {
  test.each(Object.entries(table))('%s', (_rule, [events, expected]) => {
    expect(seen(folded(events))).toEqual(expected);
  });

  test('has a column for each of its members, and a member for each column', () => {
    expect(Object.keys(folded([recorded('posted', content())]) ?? {}).sort()).toEqual(
      Object.keys(transactionColumns).sort(),
    );
  });

  test('is a text with the members of a transaction, in their order', () => {
    const text = folded([recorded('posted', content())])?.json ?? '{}';
    expect(Object.keys(JSON.parse(text) as object)).toEqual(fieldNamesOf(transactionFields, 'list'));
  });

  test('keeps them in their order when it is cancelled', () => {
    const text = folded([recorded('pending', pending), cancelled])?.json ?? '{}';
    expect(Object.keys(JSON.parse(text) as object)).toEqual(fieldNamesOf(transactionFields, 'list'));
  });

  test('is the same object after an event that a client cannot see', () => {
    const before = folded([recorded('posted', content())]);
    expect(applyToTransaction(before, sequenced(relabelled, 2), 't')).toBe(before);
  });
});
