import type { Beneficiary, Instruction } from '../changes.ts';
import { membersOf, type Members } from './answer.ts';

const textLengthMax = 500;

const textIn = (members: Members, name: string): string | undefined => {
  const value = members[name];
  return typeof value === 'string' && value !== '' && value.length <= textLengthMax ? value : undefined;
};

const beneficiaryIn = (value: unknown): Beneficiary | undefined => {
  const members = membersOf(value ?? null);
  const identifier = membersOf(members?.['paymentIdentifier'] ?? null);
  const details = membersOf(identifier?.['details'] ?? null);
  if (members === undefined || identifier === undefined || details === undefined) return undefined;
  const [name, scheme] = [textIn(members, 'name'), textIn(identifier, 'scheme')];
  if (name === undefined || scheme === undefined) return undefined;
  const account = textIn(details, 'iban') ?? textIn(details, 'accountNumber') ?? '';
  return { name, accountEnd: account.length > 4 ? account.slice(-4) : null };
};

/** Undefined: what was sent is no instruction. */
export const instructionIn = (body: unknown): Instruction | undefined => {
  const members = membersOf(body);
  if (members === undefined) return undefined;
  const [reference, amount, currency] = [
    textIn(members, 'reference'),
    textIn(members, 'amount'),
    textIn(members, 'currency'),
  ];
  const rail = textIn(members, 'rail') ?? 'internal';
  const fromAccountNumber = textIn(members, 'fromAccountNumber');
  const toAccountNumber = textIn(members, 'toAccountNumber') ?? null;
  const beneficiary = beneficiaryIn(members['beneficiary']) ?? null;
  if (reference === undefined || amount === undefined || currency === undefined) return undefined;
  if (fromAccountNumber === undefined || (toAccountNumber === null) === (beneficiary === null)) return undefined;
  const [clientReference, memo] = [textIn(members, 'clientReference') ?? null, textIn(members, 'memo') ?? null];
  const paid = { reference, rail, amount, currency, fromAccountNumber, toAccountNumber, beneficiary };
  return { ...paid, clientReference, memo };
};
