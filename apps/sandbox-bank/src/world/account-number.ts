import { mix } from './random.ts';

/** Valid by the ABA checksum, and given to no bank: it starts with digits that name no Federal Reserve district. */
export const routingNumber = '999999992';
export const swiftBic = 'SBOXDEFFXXX';
const bankCode = '99900099';

const digits = (seed: number, length: number): string => {
  const wide = BigInt(mix(seed, 1)) * 0x1_0000_0000n + BigInt(mix(seed, 2));
  return String(wide % 10n ** BigInt(length)).padStart(length, '0');
};

/** ISO 13616: the check digits make the number, DE as 1314, leave 1 when divided by 97. */
const iban = (basic: string): string => {
  const rest = Number(BigInt(`${basic}131400`) % 97n);
  return `DE${String(98 - rest).padStart(2, '0')}${basic}`;
};

/** An American account number of ten digits, or a German IBAN. */
export const accountNumber = (currency: 'USD' | 'EUR', seed: number): string =>
  currency === 'EUR' ? iban(bankCode + digits(seed, 10)) : `4${digits(seed, 9)}`;
