import { schemes, type Details, type Scheme } from './schemes.ts';
import type { TransferType } from './transfer-type.ts';

/** Where a payee lives or has its seat. Null where the caller said nothing. */
export type Address = Readonly<Record<'line1' | 'line2' | 'city' | 'region' | 'postalCode' | 'country', string | null>>;

/** Who is paid outside of the organization's own accounts, with identifiers as their schemes write them. */
export type Payee = Readonly<{
  name: string;
  paymentIdentifier: Readonly<{ scheme: Scheme; countryCode: string; currency: string; details: Details }>;
  bankName: string | null;
  address: Address | null;
}>;

/** `path`: as in the request. */
export type Fault = Readonly<{ path: string; message: string }>;

const identifier = 'destination.paymentIdentifier';

/** What is free-form in the request is not known to be text before it is looked at. */
const isText = (value: unknown): value is string => typeof value === 'string';

/** Details in the order of their names and as their schemes write them; an address that says nothing is none. */
export const normalPayee = (payee: Payee): Payee => {
  const { details, ...identified } = payee.paymentIdentifier;
  const { members } = schemes[identified.scheme];
  const normal = Object.entries(details)
    .map(([name, value]): [string, string] => [
      name,
      isText(value) ? (members?.[name]?.normal?.(value) ?? value) : value,
    ])
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const saysNothing = payee.address === null || Object.values(payee.address).every((line) => line === null);
  return {
    ...payee,
    paymentIdentifier: { ...identified, details: Object.fromEntries(normal) },
    address: saysNothing ? null : payee.address,
  };
};

const localMembersMax = 20;
const localName = { min: 1, max: 64 };
const localValueMax = 140;

/** Free-form: what a country has for itself is known to its banks only. */
const localFaults = (details: Details): readonly Fault[] => {
  const entries = Object.entries(details);
  if (entries.length === 0 || entries.length > localMembersMax) {
    return [{ path: `${identifier}.details`, message: `must have 1 to ${localMembersMax} members` }];
  }
  return entries.flatMap(([name, value]): Fault[] => {
    const path = `${identifier}.details.${name}`;
    if (name.length < localName.min || name.length > localName.max) {
      return [{ path, message: `must have a name of ${localName.min} to ${localName.max} characters` }];
    }
    if (isText(value) && value.length >= 1 && value.length <= localValueMax) return [];
    return [{ path, message: `must be a string of 1 to ${localValueMax} characters` }];
  });
};

const detailFaults = (scheme: Scheme, details: Details): readonly Fault[] => {
  const { members } = schemes[scheme];
  if (members === undefined) return localFaults(details);
  const unknown = Object.keys(details).filter((name) => !Object.hasOwn(members, name));
  return [
    ...unknown.map((name) => ({ path: `${identifier}.details.${name}`, message: `is not a member of ${scheme}` })),
    ...Object.entries(members).flatMap(([name, { isValid, isOptional, message }]): Fault[] => {
      const value = details[name];
      if (value === undefined ? isOptional : isText(value) && isValid(value)) return [];
      return [{ path: `${identifier}.details.${name}`, message }];
    }),
  ];
};

type Paid = Readonly<{ amount: Readonly<{ currency: string }>; transferType: TransferType }>;

const currencyFaults = (
  { paymentIdentifier: { scheme, currency } }: Payee,
  { amount, transferType }: Paid,
): Fault[] => {
  const own = transferType === 'sepa' ? 'EUR' : schemes[scheme].currency;
  const [path, amountPath] = [`${identifier}.currency`, 'amount.currency'];
  if (own !== null && amount.currency !== own) return [{ path: amountPath, message: `must be ${own}` }];
  return currency === amount.currency ? [] : [{ path, message: 'must be the currency of amount' }];
};

/** What is wrong with a normal payee for a payment of that kind, each by its path. Checksums included. */
export const faultsOf = (payee: Payee, paid: Paid): readonly Fault[] => {
  const { scheme, details } = payee.paymentIdentifier;
  const { transferTypes } = schemes[scheme];
  const message = `must be ${transferTypes.join(' or ')} for ${scheme}`;
  return [
    ...(transferTypes.includes(paid.transferType) ? [] : [{ path: 'transferType', message }]),
    ...currencyFaults(payee, paid),
    ...detailFaults(scheme, details),
  ];
};

const hidden = '••••';
const shownLength = 4;

const lastFour = (value: string): string => {
  const characters = value.replace(/[^\p{L}\p{N}]/gu, '');
  return characters.length > shownLength ? hidden + characters.slice(-shownLength) : hidden;
};

const masked = (scheme: Scheme, name: string, value: string): string => {
  if (name === 'accountNumber' || name === 'iban') return lastFour(value);
  return scheme === 'local' ? hidden : value;
};

/** What may be shown, and kept, of a payee: the bank's identifiers and names in clear, accounts by their end. */
export const maskedPayee = (payee: Payee): Payee => {
  const { scheme, details } = payee.paymentIdentifier;
  const shown = Object.entries(details).map(([name, value]) => [name, masked(scheme, name, value)]);
  return { ...payee, paymentIdentifier: { ...payee.paymentIdentifier, details: Object.fromEntries(shown) as Details } };
};
