import type { Cents } from '../money.ts';
import { kindsOf } from './kinds.ts';
import type { Kinds } from './row.ts';

/** What an account is like on the day its customer is opened; the seed fills in the rest. */
export type AccountPlan = Readonly<{
  type: 'checking' | 'savings' | 'creditCard' | 'moneyMarket';
  currency: 'USD' | 'EUR';
  name: string;
  officialName: string;
  kinds: Kinds;
  /** Rows on a day with any: a whole number in this range, both ends included. */
  rowsPerDay: readonly [number, number];
  /** Rows fall on every n-th day. */
  everyDays: number;
  history: Readonly<{ days: number }> | 'large';
  /** The ledger balance on the opening day. */
  balance: Cents;
  /** Owed on a card: how far below zero the balance may go. Zero for all others. */
  creditLimit: Cents;
  pending: number;
}>;

export const institutionIds = ['sandbox-instant', 'sandbox-delegated', 'sandbox-slow', 'sandbox-large'] as const;
export type InstitutionId = (typeof institutionIds)[number];

const quarter = { days: 90 };

const instant: readonly AccountPlan[] = [
  {
    type: 'checking',
    currency: 'USD',
    name: 'Operating',
    officialName: 'Business Checking',
    kinds: kindsOf.current,
    rowsPerDay: [0, 5],
    everyDays: 1,
    history: quarter,
    balance: 26_480_55,
    creditLimit: 0,
    pending: 4,
  },
  {
    type: 'savings',
    currency: 'USD',
    name: 'Reserve',
    officialName: 'Business Savings',
    kinds: kindsOf.deposit,
    rowsPerDay: [0, 2],
    everyDays: 3,
    history: quarter,
    balance: 81_200_00,
    creditLimit: 0,
    pending: 0,
  },
  {
    type: 'creditCard',
    currency: 'USD',
    name: 'Company card',
    officialName: 'Business Card',
    kinds: kindsOf.card,
    rowsPerDay: [0, 3],
    everyDays: 1,
    history: quarter,
    balance: -3_412_09,
    creditLimit: 25_000_00,
    pending: 3,
  },
  {
    type: 'checking',
    currency: 'EUR',
    name: 'Euro operating',
    officialName: 'Geschäftskonto',
    kinds: kindsOf.euro,
    rowsPerDay: [0, 2],
    everyDays: 1,
    history: quarter,
    balance: 12_870_34,
    creditLimit: 0,
    pending: 1,
  },
  {
    type: 'moneyMarket',
    currency: 'USD',
    name: 'Treasury',
    officialName: 'Money Market',
    kinds: kindsOf.deposit,
    rowsPerDay: [0, 1],
    everyDays: 3,
    history: quarter,
    balance: 150_000_00,
    creditLimit: 0,
    pending: 0,
  },
];

export const plansOf: Record<InstitutionId, readonly AccountPlan[]> = {
  'sandbox-instant': instant,
  'sandbox-delegated': instant,
  'sandbox-slow': instant,
  // Two days always fit a page of 500 rows.
  'sandbox-large': [
    {
      type: 'checking',
      currency: 'USD',
      name: 'Collections',
      officialName: 'High-Volume Checking',
      kinds: kindsOf.current,
      rowsPerDay: [240, 250],
      everyDays: 1,
      history: 'large',
      balance: 1_250_000_00,
      creditLimit: 0,
      pending: 0,
    },
  ],
};

export const isInstitutionId = (text: unknown): text is InstitutionId =>
  institutionIds.some((institutionId) => institutionId === text);
