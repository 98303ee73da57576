import type { Cents } from '../money.ts';
import type { Draw } from './random.ts';
import {
  billers,
  cashMachines,
  customers,
  europeanCustomers,
  europeanSuppliers,
  house,
  merchants,
  suppliers,
  type Party,
} from './parties.ts';

/** A sort of movement that a bank books, and how its statement words it. */
export type Kind = Readonly<{
  rail: string;
  /** BAI type code for dollar accounts, ISO 20022 bank transaction code for euro accounts. */
  typeCode: string;
  category: string;
  sign: 1 | -1;
  from: Cents;
  below: Cents;
  parties: readonly [Party, ...Party[]];
  /** What the statement says of the other side. */
  names: 'merchant' | 'party' | 'partyAndAccount' | 'nobody';
  text: (party: Party) => string;
  /** As the bank prints it: `reference` has nine digits. */
  narrative: (party: Party, reference: string, draw: Draw) => string;
  /** What the payer wrote, for the payee to reconcile. */
  customerReference: ((reference: string) => string) | null;
}>;

const sides = { debit: { sign: -1 }, credit: { sign: 1 } } as const;

const cardPurchase: Kind = {
  ...sides.debit,
  typeCode: '699',
  rail: 'card',
  category: 'purchase',
  from: 300,
  below: 18_000,
  parties: merchants,
  names: 'merchant',
  customerReference: null,
  text: ({ name }) => `Card purchase ${name}`,
  narrative: ({ upper, city }, reference, draw) => `POS ${100_000 + draw(900_000)} ${upper} ${city} REF ${reference}`,
};

const cashWithdrawal: Kind = {
  ...sides.debit,
  typeCode: '699',
  rail: 'cash',
  category: 'cash',
  from: 2_000,
  below: 40_000,
  parties: cashMachines,
  names: 'nobody',
  customerReference: null,
  text: ({ name }) => `Cash withdrawal ${name}`,
  narrative: ({ upper, city }, reference) => `ATM WITHDRAWAL ${upper} ${city} SEQ ${reference}`,
};

const achDebit: Kind = {
  ...sides.debit,
  typeCode: '451',
  rail: 'ach',
  category: 'bill',
  from: 2_500,
  below: 64_000,
  parties: billers,
  names: 'party',
  customerReference: (reference) => `ACCT${reference.slice(0, 7)}`,
  text: ({ name }) => `${name} payment`,
  narrative: ({ upper }, reference, draw) =>
    `ORIG CO NAME:${upper} SEC:CCD TRACE#:99999999${String(draw(10_000_000)).padStart(7, '0')} ID:${reference}`,
};

const achCredit: Kind = {
  ...sides.credit,
  typeCode: '142',
  rail: 'ach',
  category: 'income',
  from: 9_000,
  below: 240_000,
  parties: customers,
  names: 'partyAndAccount',
  customerReference: (reference) => `INV-${reference.slice(0, 6)}`,
  text: ({ name }) => `Payment from ${name}`,
  narrative: ({ upper }, reference) => `ACH CREDIT ${upper} INV-${reference.slice(0, 6)} SEC:CTX ID:${reference}`,
};

const wireOut: Kind = {
  ...sides.debit,
  typeCode: '495',
  rail: 'wire',
  category: 'supplier',
  from: 100_000,
  below: 400_000,
  parties: suppliers,
  names: 'partyAndAccount',
  customerReference: (reference) => `PO-${reference.slice(0, 6)}`,
  text: ({ name }) => `Wire to ${name}`,
  narrative: ({ upper }, reference) => `WIRE OUT BNF NAME:${upper} REF:${reference} OBI:PO-${reference.slice(0, 6)}`,
};

const wireIn: Kind = {
  ...sides.credit,
  typeCode: '195',
  rail: 'wire',
  category: 'income',
  from: 60_000,
  below: 318_600,
  parties: customers,
  names: 'partyAndAccount',
  customerReference: (reference) => `CONTRACT ${reference.slice(0, 5)}`,
  text: ({ name }) => `Wire from ${name}`,
  narrative: ({ upper }, reference) => `WIRE IN ORG:${upper} REF:${reference} OBI:CONTRACT ${reference.slice(0, 5)}`,
};

const check: Kind = {
  ...sides.debit,
  typeCode: '475',
  rail: 'check',
  category: 'supplier',
  from: 5_000,
  below: 120_000,
  parties: suppliers,
  names: 'nobody',
  customerReference: (reference) => reference.slice(0, 5),
  text: () => 'Check paid',
  narrative: (_, reference) => `CHECK ${reference.slice(0, 5)}`,
};

const fee: Kind = {
  ...sides.debit,
  typeCode: '698',
  rail: 'other',
  category: 'fee',
  from: 500,
  below: 3_500,
  parties: house,
  names: 'nobody',
  customerReference: null,
  text: () => 'Service charge',
  narrative: (_, reference) => `SERVICE CHARGE ${reference}`,
};

const interest: Kind = {
  ...sides.credit,
  typeCode: '354',
  rail: 'other',
  category: 'interest',
  from: 100,
  below: 4_500,
  parties: house,
  names: 'nobody',
  customerReference: null,
  text: () => 'Interest',
  narrative: (_, reference) => `INTEREST CREDIT ${reference}`,
};

const cardPayment: Kind = {
  ...sides.credit,
  typeCode: '399',
  rail: 'ach',
  category: 'cardPayment',
  from: 40_000,
  below: 150_000,
  parties: house,
  names: 'nobody',
  customerReference: null,
  text: () => 'Payment received, thank you',
  narrative: (_, reference) => `PAYMENT RECEIVED ${reference}`,
};

const creditTransferIn: Kind = {
  ...sides.credit,
  typeCode: 'PMNT-RCDT-ESCT',
  rail: 'sepaCredit',
  category: 'income',
  from: 8_000,
  below: 320_000,
  parties: europeanCustomers,
  names: 'partyAndAccount',
  customerReference: (reference) => `RE-${reference.slice(0, 6)}`,
  text: ({ name }) => `Überweisung von ${name}`,
  narrative: ({ upper }, reference) => `SEPA GUTSCHRIFT ${upper} EREF+RE-${reference.slice(0, 6)} SVWZ+RECHNUNG`,
};

const creditTransferOut: Kind = {
  ...sides.debit,
  typeCode: 'PMNT-ICDT-ESCT',
  rail: 'sepaCredit',
  category: 'supplier',
  from: 4_000,
  below: 250_000,
  parties: europeanSuppliers,
  names: 'partyAndAccount',
  customerReference: (reference) => `BEST-${reference.slice(0, 5)}`,
  text: ({ name }) => `Überweisung an ${name}`,
  narrative: ({ upper }, reference) => `SEPA UEBERWEISUNG ${upper} EREF+BEST-${reference.slice(0, 5)}`,
};

const directDebit: Kind = {
  ...sides.debit,
  typeCode: 'PMNT-RDDT-ESDD',
  rail: 'sepaDebit',
  category: 'bill',
  from: 1_500,
  below: 45_000,
  parties: europeanSuppliers,
  names: 'partyAndAccount',
  customerReference: (reference) => `MREF${reference}`,
  text: ({ name }) => `Lastschrift ${name}`,
  narrative: ({ upper }, reference) => `SEPA LASTSCHRIFT ${upper} MREF+${reference}`,
};

/** What an account sees, each as often as it stands in its list. What comes in is about what goes out. */
export const kindsOf = {
  current: [
    cardPurchase,
    cardPurchase,
    cardPurchase,
    cardPurchase,
    achDebit,
    achDebit,
    achCredit,
    achCredit,
    cashWithdrawal,
    wireOut,
    wireIn,
    check,
    fee,
  ],
  deposit: [interest, achCredit, wireOut],
  card: [cardPurchase, cardPurchase, cardPurchase, cardPurchase, cardPurchase, cardPurchase, cardPurchase, cardPayment],
  euro: [creditTransferIn, creditTransferOut, directDebit],
} as const satisfies Record<string, readonly [Kind, ...Kind[]]>;
