import { faultsOf, maskedPayee, normalPayee, type Payee } from './payee.ts';
import type { Details, Scheme } from './schemes.ts';
import type { TransferType } from './transfer-type.ts';

const us = { accountNumber: '000123456789', routingNumber: '021000021' };
const iban = { iban: 'DE89370400440532013000' };
const swift = { accountNumber: '12345678', swiftBic: 'NWBKGB2L' };
const uk = { sortCode: '601613', accountNumber: '31926819' };
const local = { bsb: '062000', accountNumber: '12345678' };

const payeeBy = (scheme: Scheme, currency: string, details: Details): Payee =>
  normalPayee({
    name: 'Acme',
    paymentIdentifier: { scheme, countryCode: 'US', currency, details },
    bankName: null,
    address: null,
  });
const pathsOf = (payee: Payee, transferType: TransferType, currency = payee.paymentIdentifier.currency) =>
  faultsOf(payee, { amount: { currency }, transferType }).map(({ path }) => path);

test.each<[Scheme, TransferType, string, Details]>([
  ['us_ach', 'ach', 'USD', { ...us, accountType: 'checking' }],
  ['us_ach', 'ach', 'USD', { ...us, accountType: 'savings' }],
  ['us_wire', 'wire', 'USD', us],
  ['us_rtp', 'rtp', 'USD', us],
  ['us_fednow', 'fednow', 'USD', us],
  ['iban', 'sepa', 'EUR', iban],
  ['iban', 'sepa', 'EUR', { ...iban, swiftBic: 'COBADEFF' }],
  ['iban', 'swift', 'USD', { iban: 'gb29 nwbk 6016 1331 9268 19' }],
  ['swift', 'swift', 'JPY', swift],
  ['swift', 'swift', 'USD', { ...swift, intermediaryBic: 'BOFAUS3N' }],
  ['uk_sort_code_account_number', 'local', 'GBP', uk],
  ['uk_sort_code_account_number', 'local', 'GBP', { ...uk, sortCode: '60-16-13' }],
  ['local', 'local', 'AUD', local],
])('%s is paid by %s in %s', (scheme, transferType, currency, details) => {
  expect(pathsOf(payeeBy(scheme, currency, details), transferType)).toEqual([]);
});

const detail = (name: string): string => `destination.paymentIdentifier.details.${name}`;
const many = (count: number): Details => Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, 'x']));

test.each<[string, Scheme, TransferType, string, Details, string]>([
  [
    'a routing number that does not add up',
    'us_wire',
    'wire',
    'USD',
    { ...us, routingNumber: '021000022' },
    'routingNumber',
  ],
  ['a routing number that is missing', 'us_rtp', 'rtp', 'USD', { accountNumber: '1' }, 'routingNumber'],
  ['an account number with letters', 'us_fednow', 'fednow', 'USD', { ...us, accountNumber: '12a' }, 'accountNumber'],
  ['an account type that is none', 'us_ach', 'ach', 'USD', { ...us, accountType: 'brokerage' }, 'accountType'],
  ['an account type where there is none', 'us_wire', 'wire', 'USD', { ...us, accountType: 'checking' }, 'accountType'],
  ['an IBAN that does not add up', 'iban', 'sepa', 'EUR', { iban: 'DE88370400440532013000' }, 'iban'],
  ['a BIC beside an IBAN that is none', 'iban', 'sepa', 'EUR', { ...iban, swiftBic: 'COBA' }, 'swiftBic'],
  ['no BIC', 'swift', 'swift', 'USD', { accountNumber: '12345678' }, 'swiftBic'],
  ['an intermediary that is none', 'swift', 'swift', 'USD', { ...swift, intermediaryBic: 'x' }, 'intermediaryBic'],
  [
    'a sort code of five digits',
    'uk_sort_code_account_number',
    'local',
    'GBP',
    { ...uk, sortCode: '60161' },
    'sortCode',
  ],
  ['a name that is too long', 'local', 'local', 'AUD', { ['x'.repeat(65)]: 'y' }, 'x'.repeat(65)],
  ['a value that is too long', 'local', 'local', 'AUD', { bsb: 'x'.repeat(141) }, 'bsb'],
  ['a value that is empty', 'local', 'local', 'AUD', { bsb: '' }, 'bsb'],
])('%s is refused, and named', (_, scheme, transferType, currency, details, name) => {
  expect(pathsOf(payeeBy(scheme, currency, details), transferType)).toEqual([detail(name)]);
});

test.each<[string, Payee, TransferType, string, string]>([
  [
    'a rail of another scheme',
    payeeBy('us_ach', 'USD', { ...us, accountType: 'checking' }),
    'wire',
    'USD',
    'transferType',
  ],
  ['an internal transfer to others', payeeBy('us_wire', 'USD', us), 'internal', 'USD', 'transferType'],
  ['pounds by SEPA', payeeBy('iban', 'GBP', iban), 'sepa', 'GBP', 'amount.currency'],
  ['euros over a US rail', payeeBy('us_wire', 'EUR', us), 'wire', 'EUR', 'amount.currency'],
  ['dollars to a sort code', payeeBy('uk_sort_code_account_number', 'USD', uk), 'local', 'USD', 'amount.currency'],
  [
    'another currency than the amount’s',
    payeeBy('us_wire', 'EUR', us),
    ...(['wire', 'USD', 'destination.paymentIdentifier.currency'] as const),
  ],
  ['no details', payeeBy('local', 'AUD', {}), 'local', 'AUD', 'destination.paymentIdentifier.details'],
  ['21 details', payeeBy('local', 'AUD', many(21)), 'local', 'AUD', 'destination.paymentIdentifier.details'],
])('%s is refused, and named', (_, payee, transferType, currency, path) => {
  expect(pathsOf(payee, transferType, currency)).toEqual([path]);
});

test('20 details are as many as there may be', () => {
  expect(pathsOf(payeeBy('local', 'AUD', many(20)), 'local')).toEqual([]);
});

test('every fault is named', () => {
  const payee = payeeBy('us_ach', 'EUR', { iban: 'x' });
  const missing = ['iban', 'accountNumber', 'routingNumber', 'accountType'].map(detail);
  expect(pathsOf(payee, 'sepa', 'USD')).toEqual(['transferType', 'amount.currency', ...missing]);
});

test.each<[string, Scheme, Details, Details]>([
  ['an account by its end, the bank in clear', 'us_wire', us, { ...us, accountNumber: '••••6789' }],
  ['an IBAN by its end', 'iban', { iban: 'de89 3704 0044 0532 0130 00' }, { iban: '••••3000' }],
  ['nothing of a short account number', 'us_wire', { ...us, accountNumber: '1234' }, { ...us, accountNumber: '••••' }],
  ['a sort code in clear', 'uk_sort_code_account_number', uk, { ...uk, accountNumber: '••••6819' }],
  ['nothing that is local but the account’s end', 'local', local, { bsb: '••••', accountNumber: '••••5678' }],
])('shown is %s', (_, scheme, details, shown) => {
  expect(maskedPayee(payeeBy(scheme, 'USD', details)).paymentIdentifier.details).toEqual(shown);
});
