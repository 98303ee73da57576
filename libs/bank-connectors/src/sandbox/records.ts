import { BankFault } from '../connector.ts';

/** What the bank sent, taken apart with the suspicion that anything from outside deserves. */
export type Members = Readonly<Record<string, unknown>>;

export const badAnswer = (what: string, options?: ErrorOptions): BankFault =>
  new BankFault('bad_answer', what, options);

export const parseMembers = (bytes: Buffer, what: string): Members => {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw badAnswer(`${what} is not JSON`, { cause });
  }
  return asMembers(value, what);
};

export const asMembers = (value: unknown, what: string): Members => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw badAnswer(`${what} is not an object`);
};

export const listIn = (members: Members, name: string): readonly unknown[] => {
  const value = members[name];
  if (Array.isArray(value)) return value;
  throw badAnswer(`${name} is not a list`);
};

export const textIn = (members: Members, name: string): string => {
  const value = members[name];
  if (typeof value === 'string') return value;
  throw badAnswer(`${name} is not a text`);
};

export const optionalTextIn = (members: Members, name: string): string | null => {
  const value = members[name];
  return value === undefined || value === null ? null : textIn(members, name);
};

/** A code stands in clear beside what is encrypted, so that nothing else may stand there. */
export const currencyIn = (members: Members): string => {
  const code = textIn(members, 'currency');
  if (/^[A-Z0-9]{3,12}$/.test(code)) return code;
  throw badAnswer('the currency is not a code');
};

const decimal = /^-?\d{1,20}(\.\d{1,18})?$/;
const date = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

export const decimalIn = (members: Members, name: string): string => {
  const text = textIn(members, name);
  if (decimal.test(text)) return text;
  throw badAnswer(`${name} is not a decimal: ${text.slice(0, 40)}`);
};

export const dateIn = (members: Members, name: string): string => {
  const text = textIn(members, name);
  if (isDate(text)) return text;
  throw badAnswer(`${name} is not a date: ${text.slice(0, 40)}`);
};

export const isDate = (text: string): boolean => date.test(text);
