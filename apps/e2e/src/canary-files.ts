import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Canaries } from './canaries.ts';

const fixtures = join(import.meta.dirname, '../../../libs/bank-connectors/src/statement-files/fixtures');

const today = (): string => new Date().toISOString().slice(0, 10);

const bai2 = ({ word, amount }: Canaries): string => {
  const cents = amount('amount of a file');
  const day = today().slice(2).replaceAll('-', '');
  const digits = cents.replace('.', '');
  return [
    `01,${word('sender of a file')},${word('receiver of a file')},${day},0600,1,,,2/`,
    `02,X,${word('originator of a file')},1,${day},2400,USD,2/`,
    `03,${word('account number of a file')},USD,015,${digits},,/`,
    `16,195,${digits},,${word('reference of a file')},${word('customer reference of a file')},${word('text of a file')}/`,
    `49,${2 * Number(digits)},3/`,
    `98,${2 * Number(digits)},1,5/`,
    `99,${2 * Number(digits)},1,7/`,
    '',
  ].join('\n');
};

const camt = ({ word }: Canaries): string =>
  readFileSync(join(fixtures, 'synth-overlap-2-053-v08.xml'), 'utf8')
    .replace(/(?<=<(MsgId|Id|NtryRef|AcctSvcrRef|EndToEndId|Nm|Ustrd)>)[^<]+/g, (_, tag) => word(`${tag} of a file`))
    .replace(/(?<=<IBAN>)\w+/g, () => word('IBAN of a file').toUpperCase())
    .replaceAll(/2026-0[34]-\d\d/g, today());

/** A file of each format with a word in every field that it has, and the same with what cannot be read. */
export const filesOf = (words: Canaries): readonly string[] => [
  bai2(words),
  camt(words),
  bai2(words).replace(/\n98[^]*/, ''),
  camt(words).replaceAll(/(?<=<Amt Ccy="EUR">)[^<]+/g, () => words.word('amount that is none')),
  camt(words).replace('</Document>', words.word('what is no XML')),
];
