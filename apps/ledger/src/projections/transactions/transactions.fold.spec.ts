import {
  transactionContent,
  type ErasureEvent,
  type LedgerEvent,
  type TransactionContent,
} from '@causeway/domain/ledger';
import type { Position, RecordedAt, Revision, Sequenced } from '@causeway/event-sourcing';
import { applyToTransaction, transactionsOf, type TransactionEvent } from './transactions.fold.ts';
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
const relabelled: LedgerEvent = {
  type: 'TransactionRelabelled',
  data: { ...identified, bankId: 'other', content: content() },
};
const reinstated: LedgerEvent = {
  type: 'TransactionReinstated',
  data: { ...owner, ...identified, status: 'posted', content: content({ amount: '6.00' }) },
};
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

const row = (change: Partial<TransactionRow>): TransactionRow => ({
  id: 't',
  organization: 'demo',
  environment: 'test',
  entityId: 'e',
  connectionId: 'c',
  accountId: 'a',
  status: 'posted',
  ...content(),
  addedAt: at(1),
  updatedAt: at(1),
  eventId: 'event 1',
  removed: false,
  ...change,
});
const gone = {
  status: null,
  postedDate: null,
  amount: null,
  currency: null,
  description: null,
  rail: null,
  removed: true,
} as const;

const table: Readonly<Record<string, readonly [events: TransactionEvent[], row: TransactionRow | undefined]>> = {
  'a row appears as the bank showed it': [[recorded('posted', content())], row({})],
  'a row that posts keeps its id and the time it appeared': [
    [recorded('pending', pending), postedAs('5.10')],
    row({ amount: '5.10', updatedAt: at(2), eventId: 'event 2' }),
  ],
  'a restated row is as it is now': [
    [
      recorded('posted', content()),
      {
        type: 'TransactionRestated',
        data: { ...identified, status: 'posted', content: content({ description: 'tea' }), previous: wasPosted },
      },
    ],
    row({ description: 'tea', updatedAt: at(2), eventId: 'event 2' }),
  ],
  'another id at the bank moves nothing': [[recorded('posted', content()), relabelled], row({})],
  'a pending row that vanished is cancelled, and keeps its content': [
    [recorded('pending', pending), cancelled],
    row({ ...pending, status: 'cancelled', updatedAt: at(2), eventId: 'event 2' }),
  ],
  'a withdrawn row keeps ids and time, and nothing of the bank': [
    [recorded('posted', content()), withdrawn],
    row({ ...gone, updatedAt: at(2), eventId: 'event 2' }),
  ],
  'a withdrawn row that comes back first appeared when it did': [
    [recorded('posted', content()), withdrawn, reinstated],
    row({ amount: '6.00', updatedAt: at(3), eventId: 'event 3' }),
  ],
  'an erased row keeps ids and time, and nothing of the bank': [
    [recorded('posted', content()), removed],
    row({ ...gone, addedAt: at(2), updatedAt: at(2), eventId: 'event 2' }),
  ],
  'an erased row is the same when nothing else is left of its events': [
    [relabelled, removed],
    row({ ...gone, addedAt: at(2), updatedAt: at(2), eventId: 'event 2' }),
  ],
  'a change of a row that is not there makes none': [[postedAs('5.00'), cancelled, withdrawn], undefined],
};

describe('a row of the transactions read model', () => {
  test.each(Object.entries(table))('%s', (_rule, [events, expected]) => {
    expect(folded(events)).toEqual(expected);
  });

  test('has a column for each of its members, and a member for each column', () => {
    expect(Object.keys(folded([recorded('posted', content())]) ?? {}).sort()).toEqual(
      Object.keys(transactionColumns).sort(),
    );
  });

  test('is the same object after an event that a client cannot see', () => {
    const before = folded([recorded('posted', content())]);
    expect(applyToTransaction(before, sequenced(relabelled, 2), 't')).toBe(before);
  });
});
