/**
 * `npm run asyncapi`: makes docs/asyncapi.json anew from the types of the messages between services. Refuses to where a
 * published version would change: a reader or writer of it may be of another release. Before the first release, remove the
 * document and run it again.
 */
import { join } from 'node:path';
import { importSource } from './bundling.mjs';

const root = join(import.meta.dirname, '..');
const { writeDocument } = await importSource('libs/contracts/src/testing/write-asyncapi.ts');
const broken = writeDocument(root);
for (const line of broken) console.error(line);
if (broken.length > 0) {
  console.error('A published version does not change: add a version beside it.');
  process.exit(1);
}
