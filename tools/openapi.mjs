/**
 * `npm run openapi`: makes docs/openapi.json anew from what the controllers declare. Refuses to where a client of the
 * published document would break. Before the first release, remove the document and run it again.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSource } from './bundling.mjs';

const path = join(import.meta.dirname, '..', 'docs', 'openapi.json');
const { breakingChanges, servedDocument } = await importSource('apps/gateway/testing/openapi.ts');
const broken = existsSync(path) ? breakingChanges(JSON.parse(readFileSync(path, 'utf8')), servedDocument()) : [];
for (const line of broken) console.error(line);
if (broken.length > 0) {
  console.error('What is published under /v1 does not change: add to it, or make a /v2.');
  process.exit(1);
}
writeFileSync(path, `${JSON.stringify(servedDocument(), null, 2)}\n`);
