import { accountNumber, routingNumber } from './account-number.ts';

it('the routing number passes the ABA checksum', () => {
  const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1];
  const sum = [...routingNumber].reduce((total, digit, place) => total + Number(digit) * (weights[place] ?? 0), 0);
  expect(sum % 10).toBe(0);
});

it('a euro account has a valid IBAN', () => {
  for (let seed = 0; seed < 50; seed++) {
    const iban = accountNumber('EUR', seed);
    expect(iban).toMatch(/^DE\d{20}$/);
    expect(BigInt(`${iban.slice(4)}1314${iban.slice(2, 4)}`) % 97n).toBe(1n);
  }
});

it('a dollar account has ten digits', () => {
  expect(accountNumber('USD', 1)).toMatch(/^4\d{9}$/);
});
