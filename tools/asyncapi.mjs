/**
 * `npm run asyncapi`: makes docs/asyncapi.json anew from the types of the messages between services. Refuses to where a
 * published version would change: a reader or writer of it may be of another release.
 */
import { build } from 'esbuild';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '..');
const bundle = join(root, 'node_modules', '.cache', 'asyncapi.mjs');
await build({
  entryPoints: [join(root, 'libs/contracts/src/testing/write-asyncapi.ts')],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  tsconfig: join(root, 'tsconfig.base.json'),
  logLevel: 'warning',
});
const { writeDocument } = await import(pathToFileURL(bundle).href);
const broken = writeDocument(root);
for (const line of broken) console.error(line);
if (broken.length > 0) {
  console.error('A published version does not change: add a version beside it.');
  process.exit(1);
}
