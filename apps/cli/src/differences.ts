import type { Pool } from '@causeway/postgres';
import {
  columnOfScope,
  differencesOf,
  inSnapshot,
  type Difference,
  type ProjectionRequest,
} from '@causeway/projections';
import { open, type FileHandle } from 'node:fs/promises';

type Change = Difference['change'];

/** How many there are of each kind, and the first few of them. */
export type DifferenceReport = Readonly<
  Record<Change, number> & { samples: Readonly<Record<Change, readonly Difference[]>> }
>;

/** Of each kind. */
const samplesMax = 3;

/** Holds what a bank said: for the operator's eyes only. */
const openDiff = (file: string): Promise<FileHandle> => open(file, 'w', 0o600);

/** Counts them, and writes all of them to `file`, one JSON line a row. However many there are, few are in memory. */
export const reportOf = async (
  differences: AsyncIterable<readonly Difference[]>,
  file?: string,
): Promise<DifferenceReport> => {
  const counts: Record<Change, number> = { added: 0, changed: 0, removed: 0 };
  const samples: Record<Change, Difference[]> = { added: [], changed: [], removed: [] };
  const diff = file === undefined ? undefined : await openDiff(file);
  try {
    for await (const batch of differences) {
      const told = batch.map(({ id, change, fields }) => ({ id, change, fields }));
      for (const difference of told) {
        counts[difference.change]++;
        if (samples[difference.change].length < samplesMax) samples[difference.change].push(difference);
      }
      await diff?.write(told.map((each) => `${JSON.stringify(each)}\n`).join(''));
    }
  } finally {
    await diff?.close();
  }
  return { ...counts, samples };
};

/** What the rows show, for people: a long past is for the file. */
const valueMax = 100;
const shortened = (value: unknown): string => {
  const text = value === undefined ? 'null' : JSON.stringify(value);
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
};

const lineOf = (change: Change, [name, [before, after]]: [string, readonly [unknown, unknown]]): string => {
  switch (change) {
    case 'added':
      return `    ${name}: ${shortened(after)}`;
    case 'removed':
      return `    ${name}: ${shortened(before)}`;
    case 'changed':
      return `    ${name}: ${shortened(before)} → ${shortened(after)}`;
  }
};

/** For people: the counts, and of each kind the first few. */
export const differenceText = ({ samples, ...counts }: DifferenceReport): string => {
  const { added, changed, removed } = counts;
  const lines = [`rows: ${added} added, ${changed} changed, ${removed} removed`];
  for (const change of ['added', 'changed', 'removed'] as const) {
    for (const { id, fields } of samples[change]) {
      lines.push(`  ${change} ${id}`, ...Object.entries(fields).map((field) => lineOf(change, field)));
    }
    const more = counts[change] - samples[change].length;
    if (more > 0) lines.push(`  and ${more} more ${change}`);
  }
  return lines.join('\n');
};

/** What was verified is compared as it was then: a part of it if asked, and what nobody is shown too. */
type Built = Readonly<{
  pool: Pool;
  schema: string;
  request: Pick<ProjectionRequest, 'name' | 'kind' | 'scope'> & Readonly<{ generation: number }>;
  file?: string;
}>;

/**
 * How the rows that were built beside the live ones differ from them, but for what changes at this moment. To be called
 * while they are there: what a bank said is kept nowhere else.
 */
export const reportOfBuilt = ({ pool, schema, request, file }: Built): Promise<DifferenceReport> =>
  inSnapshot(pool, async (tx) => {
    const { name, kind, scope, generation } = request;
    const { rows } = await tx.query<{ generation: number }>(
      `SELECT generation FROM ${schema}.projection WHERE name = $1 AND live`,
      [name],
    );
    const live = { name, generation: rows[0]?.generation ?? 0 };
    const narrowed = scope && { narrowed: { scope: { column: columnOfScope[scope.of], value: scope.id } } };
    const compare = { schema, live, next: { name, generation }, whole: kind === 'verify', ...narrowed };
    return reportOf(differencesOf(tx, compare), file);
  });
