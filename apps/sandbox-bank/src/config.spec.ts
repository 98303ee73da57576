import { readConfig } from './config.ts';

it('has a default for every setting', () => {
  expect(readConfig({})).toMatchObject({ port: 3010, seed: 1, largeRows: 100_000 });
});

it('keeps its journal under the data directory', () => {
  expect(readConfig({ CAUSEWAY_DATA_DIR: '/data' }).journalDir).toBe('/data/sandbox-bank');
});

it.each([
  ['CAUSEWAY_SANDBOX_BANK_PORT', '65536'],
  ['CAUSEWAY_SANDBOX_SEED', '-1'],
  ['CAUSEWAY_SANDBOX_SEED', 'one'],
  ['CAUSEWAY_SANDBOX_LARGE_ROWS', '1.5'],
])('does not start with %s %s', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(name);
});
