import type { LedgerEvent } from '../ledger.events.ts';
import type { TransactionContent } from '../statement.ts';
import { balanceFactsOf, type BalanceFact } from './balance-facts.ts';

const owner = { entityId: 'e', connectionId: 'c' };
const identified = { transactionId: 't', bankId: null, day: '2026-03-01', valueDate: null, typeCode: null };
const content = (amount: string, postedDate: string | null) => ({ amount, postedDate }) as TransactionContent;
const seen = (amount: string, postedDate: string | null) => ({ ...identified, content: content(amount, postedDate) });
const previous = (amount: string, postedDate: string | null) =>
  ({ status: postedDate === null ? 'pending' : 'posted', postedDate, amount }) as const;
const person = { reason: 'ticket 7', operator: 'anna' };
const moved = (date: string, amount: string): BalanceFact => ({ kind: 'moved', date, amount });

const table: Readonly<Record<string, readonly [event: LedgerEvent, facts: readonly BalanceFact[]]>> = {
  'a posted row counts on its posted date': [
    { type: 'TransactionRecorded', data: { ...owner, ...seen('5', '2026-03-01'), status: 'posted' } },
    [moved('2026-03-01', '5')],
  ],
  'a pending row does not count': [
    { type: 'TransactionRecorded', data: { ...owner, ...seen('5', null), status: 'pending' } },
    [],
  ],
  'a pending row that posts counts from then on': [
    { type: 'TransactionPosted', data: { ...seen('6', '2026-03-02'), previous: previous('5', null) } },
    [moved('2026-03-02', '6')],
  ],
  'a restated row counts as it is now, and no longer as it was': [
    {
      type: 'TransactionRestated',
      data: { ...seen('6', '2026-03-02'), status: 'posted', previous: previous('5', '2026-03-01') },
    },
    [moved('2026-03-01', '-5'), moved('2026-03-02', '6')],
  ],
  'a row whose text alone is restated moves nothing': [
    {
      type: 'TransactionRestated',
      data: { ...seen('5', '2026-03-01'), status: 'posted', previous: previous('5', '2026-03-01') },
    },
    [],
  ],
  'a row that is pending again counts no longer': [
    {
      type: 'TransactionRestated',
      data: { ...seen('5', null), status: 'pending', previous: previous('5', '2026-03-01') },
    },
    [moved('2026-03-01', '-5')],
  ],
  'a withdrawn row counts no longer': [
    { type: 'TransactionWithdrawn', data: { transactionId: 't', previous: previous('-5', '2026-03-01') } },
    [moved('2026-03-01', '5')],
  ],
  'a row that came back counts again': [
    { type: 'TransactionReinstated', data: { ...owner, ...seen('5', '2026-03-01'), status: 'posted' } },
    [moved('2026-03-01', '5')],
  ],
  'a row dated centuries away has no day among the balances': [
    { type: 'TransactionRecorded', data: { ...owner, ...seen('5', '9999-12-31'), status: 'posted' } },
    [],
  ],
  'a cancelled row never counted': [{ type: 'TransactionCancelled', data: { transactionId: 't' } }, []],
  'a stated balance is an anchor': [
    { type: 'BalanceReported', data: { ...owner, currency: 'USD', date: '2026-03-01', amount: '9' } },
    [{ kind: 'stated', date: '2026-03-01', amount: '9' }],
  ],
  'a remapped row counts as it is read now': [
    {
      type: 'TransactionRemapped',
      data: { ...seen('6', '2026-03-02'), status: 'posted', previous: previous('5', '2026-03-01'), ...person },
    },
    [moved('2026-03-01', '-5'), moved('2026-03-02', '6')],
  ],
  'a remapped balance is an anchor': [
    { type: 'BalanceRemapped', data: { ...owner, currency: 'USD', date: '2026-03-01', amount: '9', ...person } },
    [{ kind: 'remapped', date: '2026-03-01', amount: '9' }],
  ],
  'a corrected row moves nothing: what it is now was folded before': [
    {
      type: 'TransactionCorrected',
      data: { ...owner, transactionId: 't', change: 'changed', answered: [], ...person },
    },
    [],
  ],
  'a corrected day': [
    { type: 'BalanceCorrected', data: { ...owner, date: '2026-03-01', change: 'changed', answered: [], ...person } },
    [{ kind: 'corrected', date: '2026-03-01', answered: [] }],
  ],
};

test.each(Object.entries(table))('%s', (_rule, [event, facts]) => {
  expect(balanceFactsOf(event)).toEqual(facts);
});
