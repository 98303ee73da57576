import { isAba, isBic, isIban } from './checksums.ts';
import type { TransferType } from './transfer-type.ts';

export type Scheme =
  'us_ach' | 'us_wire' | 'us_rtp' | 'us_fednow' | 'iban' | 'swift' | 'uk_sort_code_account_number' | 'local';

export type Details = Readonly<Record<string, string>>;

type Member = Readonly<{
  isValid(normal: string): boolean;
  message: string;
  /** As the scheme writes it: spaces and case do not matter. The same when left out. */
  normal?(text: string): string;
  isOptional: boolean;
}>;

type Rules = Readonly<{
  /** Null: any. */
  currency: string | null;
  transferTypes: readonly TransferType[];
  /** Undefined: free-form. */
  members: Readonly<Record<string, Member>> | undefined;
}>;

const withoutSpaces = (text: string): string => text.replace(/\s/g, '');
const upperCase = (text: string): string => withoutSpaces(text).toUpperCase();
const digitsOnly = (text: string): string => text.replace(/[\s-]/g, '');

const matching = (shape: RegExp, message: string, normal = withoutSpaces): Member => ({
  isValid: (text) => shape.test(text),
  ...{ message, normal, isOptional: false },
});

const bic: Member = { isValid: isBic, message: 'must be a BIC', normal: upperCase, isOptional: false };
const optionalBic: Member = { ...bic, isOptional: true };
const iban: Member = { isValid: isIban, message: 'must be an IBAN', normal: upperCase, isOptional: false };

const usAccount = {
  accountNumber: matching(/^\d{1,17}$/, 'must be 1 to 17 digits'),
  routingNumber: {
    ...{ isValid: isAba, message: 'must be an ABA routing number', normal: withoutSpaces, isOptional: false },
  },
};
const us = { currency: 'USD', members: usAccount };
const accountType = matching(/^(checking|savings)$/, 'must be checking or savings');

/** What each scheme asks for, and the rails that it serves. */
export const schemes: Readonly<Record<Scheme, Rules>> = {
  us_ach: { ...us, members: { ...usAccount, accountType }, transferTypes: ['ach'] },
  us_wire: { ...us, transferTypes: ['wire'] },
  us_rtp: { ...us, transferTypes: ['rtp'] },
  us_fednow: { ...us, transferTypes: ['fednow'] },
  iban: { currency: null, transferTypes: ['sepa', 'swift'], members: { iban, swiftBic: optionalBic } },
  swift: {
    ...{ currency: null, transferTypes: ['swift'] },
    members: {
      accountNumber: matching(/^[A-Z0-9]{1,34}$/, 'must be 1 to 34 letters and digits', upperCase),
      ...{ swiftBic: bic, intermediaryBic: optionalBic },
    },
  },
  uk_sort_code_account_number: {
    ...{ currency: 'GBP', transferTypes: ['local'] },
    members: {
      sortCode: matching(/^\d{6}$/, 'must be 6 digits', digitsOnly),
      accountNumber: matching(/^\d{8}$/, 'must be 8 digits'),
    },
  },
  local: { currency: null, transferTypes: ['local'], members: undefined },
};
