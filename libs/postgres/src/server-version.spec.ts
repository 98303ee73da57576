import { refuseOldServer } from './server-version.ts';

test.each([
  [90624, '9.6.24'],
  [150012, '15.12 (Debian 15.12-1.pgdg120+1)'],
  [160009, '16.9'],
])('a server of version %d is refused, and told so', (number, text) => {
  const refuse = (): void => refuseOldServer({ number, text });
  expect(refuse).toThrow(`PostgreSQL 17 or newer is needed, this is ${text}`);
});

test.each([
  [170000, '17beta1'],
  [170004, '17.4'],
  [180001, '18.1'],
])('a server of version %d will do', (number, text) => {
  expect(() => refuseOldServer({ number, text })).not.toThrow();
});
