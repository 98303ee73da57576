import { openPool } from '@causeway/postgres';
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/** Words that stand nowhere else, each known by the field that it was written into. */
export type Canaries = Readonly<{
  word(field: string): string;
  /** A decimal. */
  amount(field: string): string;
  /** Of which the last four characters alone are kept: these count, too. */
  ending(field: string): string;
  /** One that somebody else has made. */
  add(field: string, word: string): string;
  /** The fields whose words are in it: as they are, in hex or in base64. */
  in(bytes: Buffer): readonly string[];
}>;

/** In base64 a word begins at the first, second or third of three bytes; what its neighbours have a part in is left out. */
const base64Of = (word: Buffer, offset: number): string => {
  const text = Buffer.concat([Buffer.alloc(offset), word])
    .toString('base64')
    .replaceAll('=', '');
  const whole = Math.floor(((offset + word.length) * 8) / 6);
  return text.slice(Math.ceil((offset * 8) / 6), whole);
};

const formsOf = (text: string): readonly Buffer[] => {
  const word = Buffer.from(text);
  const written = [word.toString('hex'), ...[0, 1, 2].map((offset) => base64Of(word, offset))];
  return [word, ...written.map((form) => Buffer.from(form))];
};

export const canaries = (): Canaries => {
  const forms = new Map<string, Readonly<{ field: string; forms: readonly Buffer[] }>>();
  const add = (field: string, word: string): string => {
    forms.set(word, { field, forms: formsOf(word) });
    return word;
  };
  const word = (field: string): string => add(field, `qz${randomBytes(5).toString('hex')}`);
  const letter = (): string => String.fromCodePoint(randomInt(0x10a0, 0x10ff));
  return {
    add,
    word,
    amount: (field) => add(field, `${randomInt(10_000_000, 99_999_999)}.${randomInt(10, 99)}`),
    ending: (field) => word(field) + add(`end of ${field}`, Array.from({ length: 4 }, letter).join('')),
    in: (bytes) =>
      [...forms.values()].filter((known) => known.forms.some((form) => bytes.includes(form))).map(({ field }) => field),
  };
};

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat?.isDirectory() ? filesIn(path) : stat?.isFile() ? [path] : [];
  });

/**
 * PostgreSQL's own files are read by its tables: its log and freed pages keep traces for a while. The launcher keeps keys
 * and secrets for its user. A segment's indexes hold offsets, and are mostly holes.
 */
const isReadOtherwise = (path: string): boolean =>
  /^(postgres\/|(dev|runtime|secrets)\.json$|kafka\/.*index$)/.test(path);

const tracesInFiles = (dataDir: string, words: Canaries): readonly string[] =>
  filesIn(dataDir).flatMap((path) => {
    const name = relative(dataDir, path);
    if (isReadOtherwise(name) || !existsSync(path)) return [];
    return words.in(Buffer.concat([Buffer.from(name), readFileSync(path)])).map((field) => `${name}: ${field}`);
  });

const namesSql = `
  SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'm') AND n.nspname <> 'pg_toast' ORDER BY 1`;

/** What lies packed in the row. */
const unpacked = (row: string): string =>
  Array.from(row.matchAll(/x01([0-9a-f]+)/g), ([, hex = '']) => {
    try {
      return brotliDecompressSync(Buffer.from(hex, 'hex')).toString();
    } catch {
      return '';
    }
  }).join('');

/** Every table of every database, those of PostgreSQL itself too: what a dump would hold, and more. */
const tracesInTables = async (databaseUrl: string, words: Canaries): Promise<readonly string[]> => {
  const traces: string[] = [];
  const { rows: databases } = await rowsAt<{ name: string }>(
    databaseUrl,
    'SELECT datname AS name FROM pg_database WHERE datallowconn',
  );
  for (const { name: database } of databases) {
    const url = new URL(databaseUrl);
    url.pathname = `/${database}`;
    const { rows: tables } = await rowsAt<{ name: string }>(url.href, namesSql);
    for (const { name } of tables) {
      const { rows } = await rowsAt<{ row: string }>(url.href, `SELECT t::text AS row FROM ${name} t`);
      const found = words.in(Buffer.from(rows.map(({ row }) => row + unpacked(row)).join('\n')));
      traces.push(...found.map((field) => `${name}: ${field}`));
    }
  }
  return traces;
};

const rowsAt = async <R extends object>(url: string, sql: string) => {
  const pool = openPool({ url, applicationName: 'e2e', connectionsMax: 1 });
  try {
    return await pool.query<R>(sql);
  } finally {
    await pool.end();
  }
};

export const databaseUrlOf = (dataDir: string): string =>
  (JSON.parse(readFileSync(join(dataDir, 'runtime.json'), 'utf8')) as { databaseUrl: string }).databaseUrl;

export type Looked = Readonly<{ dataDir: string; output: readonly Buffer[] }>;

/** Where words are in clear: `<table or file>: <field>`. `output`: what the processes said. */
export const tracesOf = async ({ dataDir, output }: Looked, words: Canaries): Promise<readonly string[]> => {
  const said = words.in(Buffer.concat(output)).map((field) => `output: ${field}`);
  const traces = [...(await tracesInTables(databaseUrlOf(dataDir), words)), ...tracesInFiles(dataDir, words), ...said];
  return [...new Set(traces)].sort();
};

/** Rows as they were, where any has changed. */
const versions = ['ledger.balance_versions_v1_g1', 'ledger.transaction_versions_v1_g1'];

/** Where what a bank said is in clear: what the lists answer, and what a page is compared with, by its ids and amounts. */
export const readModels = [
  'connections.accounts_v2_g1',
  'ledger.balances_v1_g1',
  'ledger.identity',
  'ledger.reported_balance',
  'ledger.transactions_v1_g1',
];

export const placesOf = (traces: readonly string[]): readonly string[] =>
  [...new Set(traces.map((trace) => trace.split(': ')[0] ?? ''))].filter((place) => !versions.includes(place)).sort();
