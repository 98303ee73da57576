/** ISO 4217 currencies whose minor unit is not a hundredth. BAI2 writes minor units without a point. */
const minorUnitDigits: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};

export const minorUnits = (currency: string): number => minorUnitDigits[currency] ?? 2;

export const isCurrency = (text: string): boolean => /^[A-Z]{3}$/.test(text);
