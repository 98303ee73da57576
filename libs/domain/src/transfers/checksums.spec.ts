import { isAba, isBic, isIban } from './checksums.ts';

describe('an ABA routing number', () => {
  test.each(['021000021', '011000015', '121000358', '026009593'])('%s adds up', (text) => {
    expect(isAba(text)).toBe(true);
  });
  test.each(['021000022', '120000021', '000000000', '02100002', '0210000210', '02100002a', ''])(
    '%s does not',
    (text) => {
      expect(isAba(text)).toBe(false);
    },
  );
});

describe('an IBAN', () => {
  test.each(['DE89370400440532013000', 'GB29NWBK60161331926819', 'NO9386011117947', 'MT84MALT011000012345MTLCAST001S'])(
    '%s adds up',
    (text) => {
      expect(isIban(text)).toBe(true);
    },
  );
  test.each([
    ['a digit too many', 'DE893704004405320130001'],
    ['two digits the other way round', 'DE89370400440532010300'],
    ['wrong check digits', 'DE88370400440532013000'],
    ['no country', '89370400440532013000'],
    ['spaces', 'DE89 3704 0044 0532 0130 00'],
    ['nothing', ''],
  ])('with %s does not', (_, text) => {
    expect(isIban(text)).toBe(false);
  });
});

describe('a BIC', () => {
  test.each(['COBADEFF', 'COBADEFFXXX', 'NWBKGB2L', 'BOFAUS3N'])('%s is one', (text) => {
    expect(isBic(text)).toBe(true);
  });
  test.each(['COBADEF', 'COBADEFFX', 'COBA1EFF', 'cobadeff', 'COBADEFFXXXX', ''])('%s is none', (text) => {
    expect(isBic(text)).toBe(false);
  });
});
