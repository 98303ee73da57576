import { wholePage } from '@causeway/domain/ledger';
import type { StatementRow } from '@causeway/domain/ledger';
import { mapAccount, mapPart } from './mapping.ts';

const row = {
  bookingDate: '2025-06-02',
  amount: '-12.34',
  channel: 'ach',
  typeCode: '451',
  id: '0T1234-202506020000',
  text: 'Larkspur Telecom payment',
  narrative: 'ORIG CO NAME:LARKSPUR TELECOM',
};
const booked = {
  accountNumber: '4000000000',
  currency: 'USD',
  from: '2025-06-01',
  to: '2025-06-02',
  transactions: [row],
  closingBalances: [{ date: '2025-06-01', amount: '100.00' }],
};
const partOf = (page: object): Buffer => Buffer.from(JSON.stringify(page));
const mapRow = (otherwise: object): StatementRow | undefined =>
  mapPart(partOf({ ...booked, transactions: [{ ...row, ...otherwise }] })).rows[0];

it('a booked page speaks for all rows of its days', () => {
  expect(mapPart(partOf(booked))).toEqual({
    coverage: { posted: { from: '2025-06-01', to: '2025-06-02' }, pending: null },
    rows: [
      {
        status: 'posted',
        bankId: '0T1234-202506020000',
        day: '2025-06-02',
        valueDate: '2025-06-02',
        typeCode: '451',
        content: {
          postedDate: '2025-06-02',
          amount: '-12.34',
          currency: 'USD',
          description: 'Larkspur Telecom payment',
          rail: 'ach',
          rawDescription: 'ORIG CO NAME:LARKSPUR TELECOM',
          customerReference: null,
          bankReference: null,
          baiCode: '451',
          category: null,
          subcategory: null,
          mcc: null,
          merchantName: null,
          counterpartyName: null,
          counterpartyAccountEnd: null,
        },
      },
    ],
    closingBalances: [{ date: '2025-06-01', amount: '100.00' }],
  });
});

it('a pending page speaks for all pending rows, and its rows have no posted date', () => {
  const { bookingDate: transactionDate, ...rest } = row;
  const page = mapPart(partOf({ currency: 'USD', pending: [{ ...rest, transactionDate }] }));
  expect(page.coverage).toEqual({ posted: null, pending: 'all' });
  expect(page.rows[0]).toMatchObject({ status: 'pending', day: '2025-06-02', content: { postedDate: null } });
});

it('the parts of a page are read as one', () => {
  const parts = [partOf({ ...booked, closingBalances: [] }), partOf(booked)];
  const page = wholePage(parts.map(mapPart));
  expect(page.rows).toHaveLength(2);
  expect(page.closingBalances).toHaveLength(1);
});

it.each([
  ['no id', { id: undefined }, { bankId: null }],
  ['a value date of another day', { valueDate: '2025-06-04' }, { valueDate: '2025-06-04' }],
  ['what it takes back', { reversalOf: '0T1234-5' }, { reversalOf: '0T1234-5' }],
  ['a channel we have no word for', { channel: 'pigeon' }, { content: { rail: 'unknown' } }],
  ['an ISO code', { typeCode: 'PMNT-RCDT-ESCT' }, { typeCode: 'PMNT-RCDT-ESCT', content: { baiCode: null } }],
  ['a whole account number', { counterpartyAccount: '12345678' }, { content: { counterpartyAccountEnd: '5678' } }],
])('a row with %s is read', (_, otherwise, expected) => {
  expect(mapRow(otherwise)).toMatchObject(expected);
});

it.each([
  ['an amount that is a number', { amount: 12.34 }],
  ['an amount that is none', { amount: '1e3' }],
  ['no booking date', { bookingDate: undefined }],
  ['a date that is none', { bookingDate: '2025-13-01' }],
  ['a day that the page does not cover', { bookingDate: '2025-06-03' }],
  ['a text that is a list', { text: [] }],
])('a row with %s makes the answer a bad one', (_, otherwise) => {
  expect(() => mapRow(otherwise)).toThrow(expect.objectContaining({ kind: 'bad_answer' }) as Error);
});

it('an account is named by its bank, number and currency', () => {
  const account = {
    number: '4000000000',
    type: 'vault',
    currency: 'USD',
    name: 'Operating',
    status: 'open',
    routingNumber: '999999992',
    ledgerBalance: '1.00',
    availableBalance: '0.50',
    balancesAsOf: '2025-06-02T00:00:00.000Z',
  };
  expect(mapAccount(account)).toMatchObject({ key: '999999992:4000000000:USD', type: 'unknown', officialName: null });
  const unnamed = { ...account, currency: 'a word of the bank' };
  expect(() => mapAccount(unnamed)).toThrow('the currency is not a code');
});
