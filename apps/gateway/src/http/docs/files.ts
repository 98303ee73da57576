import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import swaggerUiFolder from 'swagger-ui-dist/absolute-path.js';
import { guides } from './guides.ts';
import { guideHtml, htmlOf } from './html.ts';
import { style } from './style.ts';

/** A page or a part of one, ready to be sent. */
export type DocsFile = Readonly<{ type: string; cacheSeconds: number; bytes: Buffer; zipped: Buffer }>;

/** By their names below /docs; the page at /docs itself has none. */
type DocsFiles = ReadonlyMap<string, DocsFile>;
type Named = readonly [string, DocsFile];

export type Docs = () => Promise<DocsFiles>;

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
};
const html = 'text/html; charset=utf-8';

/** A name that has the hash of what it names holds for good; a page is asked for again after this long. */
const yearSeconds = 31_536_000;
const pageSeconds = 300;

const fileOf = async (name: string, content: string | Buffer, cacheSeconds: number): Promise<Named> => {
  const bytes = Buffer.from(content);
  return [name, { type: types[extname(name)] ?? html, cacheSeconds, bytes, zipped: await promisify(gzip)(bytes) }];
};

const partOf = (name: string, content: string | Buffer): Promise<Named> => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const [stem, extension] = [name.slice(0, -extname(name).length), extname(name)];
  return fileOf(`${stem}.${hash}${extension}`, content, yearSeconds);
};

/** All of it stays here: nothing is looked up at, sent to or checked by another host. */
const viewerScript = `window.ui = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const ofSwaggerUi = async (name: string): Promise<Named> => partOf(name, await readFile(join(swaggerUiFolder(), name)));

const names = (files: readonly Named[]): readonly string[] => files.map(([name]) => name);

const made = async (): Promise<DocsFiles> => {
  const ownStyle = await partOf('docs.css', style);
  const styles = [await ofSwaggerUi('swagger-ui.css'), ownStyle];
  const scripts = [await ofSwaggerUi('swagger-ui-bundle.js'), await partOf('viewer.js', viewerScript)];
  const home = htmlOf({
    ...{ title: 'Causeway', toParts: 'docs/', styles: names(styles), scripts: names(scripts) },
    main: '<p>The document itself: <a href="openapi.json">openapi.json</a></p><div id="viewer"></div>',
  });
  const pages = [
    fileOf('', home, pageSeconds),
    ...guides.map((guide) => fileOf(guide.name, guideHtml(guide, ownStyle[0]), pageSeconds)),
    ...guides.map(({ name, markdown }) => fileOf(`${name}.md`, markdown, pageSeconds)),
  ];
  return new Map([...styles, ...scripts, ...(await Promise.all(pages))]);
};

/** The pages of /docs and all that they are made of: made when someone asks for the first. */
export const docs = (): Docs => {
  let files: Promise<DocsFiles> | undefined;
  return () => (files ??= made());
};
