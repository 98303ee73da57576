import {
  rails,
  transactionContent,
  type ClosingBalance,
  type Rail,
  type StatementPage,
  type StatementRow,
} from '@causeway/domain/ledger';
import type { BankAccount, BankAccountType } from '../connector.ts';
import {
  asMembers,
  badAnswer,
  currencyIn,
  dateIn,
  decimalIn,
  listIn,
  optionalTextIn,
  parseMembers,
  textIn,
  type Members,
} from './records.ts';

const accountTypes: Readonly<Record<string, BankAccountType>> = {
  checking: 'checking',
  savings: 'savings',
  moneyMarket: 'moneyMarket',
  creditCard: 'creditCard',
};

/** A routing number names the bank in America, a BIC elsewhere. */
const accountKey = (bank: string, number: string, currency: string): string => `${bank}:${number}:${currency}`;

export const mapAccount = (value: unknown): BankAccount => {
  const record = asMembers(value, 'an account');
  const number = textIn(record, 'number');
  const currency = currencyIn(record);
  const routingNumber = optionalTextIn(record, 'routingNumber');
  const swiftBic = optionalTextIn(record, 'bic');
  return {
    key: accountKey(routingNumber ?? swiftBic ?? '', number, currency),
    number,
    type: accountTypes[textIn(record, 'type')] ?? 'unknown',
    currency,
    name: textIn(record, 'name'),
    officialName: optionalTextIn(record, 'officialName'),
    status: textIn(record, 'status') === 'open' ? 'open' : 'closed',
    routingNumber,
    swiftBic,
    currentBalance: decimalIn(record, 'ledgerBalance'),
    availableBalance: decimalIn(record, 'availableBalance'),
    balanceAsOf: textIn(record, 'balancesAsOf'),
  };
};

const railOf = (channel: string): Rail => rails.find((rail) => rail === channel) ?? 'unknown';

const baiCode = /^\d{3}$/;

const mapRow = (value: unknown, status: StatementRow['status'], currency: string): StatementRow => {
  const record = asMembers(value, 'a transaction');
  const day = dateIn(record, status === 'posted' ? 'bookingDate' : 'transactionDate');
  const typeCode = textIn(record, 'typeCode');
  const counterpartyAccount = optionalTextIn(record, 'counterpartyAccount');
  const reversalOf = optionalTextIn(record, 'reversalOf');
  return {
    status,
    bankId: optionalTextIn(record, 'id'),
    day,
    // The bank names the value date where it is another day than the row's own.
    valueDate: record['valueDate'] === undefined ? day : dateIn(record, 'valueDate'),
    typeCode,
    ...(reversalOf === null ? {} : { reversalOf }),
    content: transactionContent({
      postedDate: status === 'posted' ? day : null,
      amount: decimalIn(record, 'amount'),
      currency,
      description: textIn(record, 'text'),
      rail: railOf(textIn(record, 'channel')),
      rawDescription: optionalTextIn(record, 'narrative'),
      customerReference: optionalTextIn(record, 'paymentReference'),
      bankReference: optionalTextIn(record, 'bankReference'),
      baiCode: baiCode.test(typeCode) ? typeCode : null,
      category: optionalTextIn(record, 'category'),
      subcategory: optionalTextIn(record, 'subcategory'),
      mcc: optionalTextIn(record, 'merchantCategoryCode'),
      merchantName: optionalTextIn(record, 'merchant'),
      counterpartyName: optionalTextIn(record, 'counterparty'),
      counterpartyAccountEnd: counterpartyAccount === null ? null : counterpartyAccount.slice(-4),
    }),
  };
};

const mapClosing = (value: unknown): ClosingBalance => {
  const record = asMembers(value, 'a closing balance');
  return { date: dateIn(record, 'date'), amount: decimalIn(record, 'amount') };
};

/** Booked pages show every row of their days; the pending page shows every pending row there is. */
const mapBooked = (page: Members): StatementPage => {
  const currency = currencyIn(page);
  const posted = { from: dateIn(page, 'from'), to: dateIn(page, 'to') };
  const rows = listIn(page, 'transactions').map((record) => mapRow(record, 'posted', currency));
  if (rows.some(({ day }) => day < posted.from || day > posted.to))
    throw badAnswer(`a row outside of the page's days ${posted.from} to ${posted.to}`);
  return {
    coverage: { posted, pending: null },
    rows,
    closingBalances: listIn(page, 'closingBalances').map(mapClosing),
  };
};

const mapPending = (page: Members): StatementPage => ({
  coverage: { posted: null, pending: 'all' },
  rows: listIn(page, 'pending').map((record) => mapRow(record, 'pending', currencyIn(page))),
  closingBalances: [],
});

export const mapPart = (part: Buffer): StatementPage => {
  const page = parseMembers(part, 'a page');
  return page['pending'] === undefined ? mapBooked(page) : mapPending(page);
};
