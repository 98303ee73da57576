import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fuzzStatementFiles } from './testing/fuzz.ts';

const fixtures = join(import.meta.dirname, 'fixtures');
const files = readdirSync(fixtures).map((name) => readFileSync(join(fixtures, name)));

test('mutated files are read or refused, and never break their reader', async () => {
  const seed = Date.now() % 1_000_000_000;
  let count = 0;
  const broken = await fuzzStatementFiles({ seed, forMs: 6000, files, onFile: (number) => (count = number) });
  expect(broken === null ? null : `npm run fuzz -- --seed ${broken.seed}: ${broken.error.stack}`).toBeNull();
  expect(count).toBeGreaterThan(10);
});
