import type { Account } from './account.ts';
import type { Day } from './calendar.ts';
import type { Beneficiary, Change, Payment } from './changes.ts';
import type { Cents } from './money.ts';
import type { Row } from './world/row.ts';

type OtherSide = Readonly<{ name: string; accountEnd: string | null; printed: string }>;

const lastFour = (number: string): string => number.slice(-4);

const ofAccount = ({ plan, number }: Account): OtherSide => ({
  ...{ name: plan.name, accountEnd: lastFour(number), printed: number },
});

const ofBeneficiary = ({ name, accountEnd }: Beneficiary): OtherSide => ({
  ...{ name, accountEnd, printed: name.toUpperCase() },
});

type Codes = Readonly<{ debit: string; credit: string }>;

/** BAI type codes for dollar accounts, ISO 20022 bank transaction codes for euro accounts. */
const bookTransferCodes: Readonly<Record<Account['plan']['currency'], Codes>> = {
  USD: { debit: '506', credit: '206' },
  EUR: { debit: 'PMNT-ICDT-BOOK', credit: 'PMNT-RCDT-BOOK' },
};
const paymentCodes: Readonly<Record<Account['plan']['currency'], Readonly<Record<string, Codes>>>> = {
  USD: { ach: { debit: '451', credit: '142' }, wire: { debit: '495', credit: '195' } },
  EUR: { sepa: { debit: 'PMNT-ICDT-ESCT', credit: 'PMNT-RCDT-ESCT' } },
};
const otherCodes: typeof bookTransferCodes = {
  USD: { debit: '699', credit: '399' },
  EUR: { debit: 'PMNT-ICDT-XBCT', credit: 'PMNT-RCDT-XBCT' },
};

/** The channel that the statement names, by the rail of the instruction. */
const channels: Readonly<Record<string, string>> = { ach: 'ach', wire: 'wire', swift: 'swift', sepa: 'sepaCredit' };

type Sort = Readonly<{ word: 'Transfer' | 'Payment'; channel: string; codes: Codes }>;

const sortOf = ({ beneficiary, rail }: Payment, { plan: { currency } }: Account): Sort =>
  beneficiary === null
    ? { word: 'Transfer', channel: 'internalTransfer', codes: bookTransferCodes[currency] }
    : {
        word: 'Payment',
        channel: channels[rail] ?? 'other',
        codes: paymentCodes[currency][rail] ?? otherCodes[currency],
      };

/** What is booked on one side. `cents` and `key` are of the payment, whichever way it goes. */
export type Booking = Readonly<{ connectionId: string; payment: Payment; cents: Cents; day: Day; key: string }>;

const rowOf = ({ payment, day, key }: Booking, account: Account, other: OtherSide, amount: Cents): Row => {
  const isDebit = amount < 0;
  const { word, channel, codes } = sortOf(payment, account);
  const direction = isDebit ? 'to' : 'from';
  const printed = [word, direction, other.printed].join(' ').toUpperCase();
  return {
    ...{ key, day, valueDay: day, amount },
    text: `${word} ${direction} ${other.name}${other.accountEnd === null ? '' : ` ••••${other.accountEnd}`}`,
    narrative: [printed, payment.reference, payment.clientReference, payment.memo]
      .filter((part) => part !== null)
      .join(' '),
    ...{ rail: channel, typeCode: codes[isDebit ? 'debit' : 'credit'] },
    ...{ category: 'transfer', subcategory: null, mcc: null, merchantName: null },
    ...{ counterpartyName: other.name, counterpartyAccount: other.accountEnd },
    ...{ customerReference: payment.reference, bankReference: payment.bankReference },
  };
};

/** Both accounts of a transfer, or the paying one where the money leaves the bank. */
export const bookings = (booking: Booking, from: Account, to: Account | null): Change[] => {
  const { connectionId, cents } = booking;
  const rowsOn = (account: Account, other: OtherSide, amount: Cents): Change => {
    const row = rowOf(booking, account, other, amount);
    return { type: 'rowsBooked', connectionId, accountNumber: account.number, rows: [row] };
  };
  const { beneficiary } = booking.payment;
  if (to !== null) return [rowsOn(from, ofAccount(to), -cents), rowsOn(to, ofAccount(from), cents)];
  if (beneficiary === null) throw new Error(`${booking.payment.reference} goes nowhere`);
  return [rowsOn(from, ofBeneficiary(beneficiary), -cents)];
};
