import type { KnownRow } from './identity.ts';
import type { SeenRow } from './imprint.ts';

export type Pair = Readonly<{ known: KnownRow; seen: SeenRow }>;

/** Rows that equal keys bring together, first with first, second with second. Null: the row takes no part. */
export type Pass = Readonly<{
  known: (row: KnownRow) => string | null;
  seen: (row: SeenRow) => string | null;
  /** Pairs only where one known and one seen row share the key, and no other. */
  unique?: boolean;
}>;

export type Open = Readonly<{ pairs: readonly Pair[]; known: readonly KnownRow[]; seen: readonly SeenRow[] }>;

const grouped = <T>(rows: readonly T[], keyOf: (row: T) => string | null): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
};

/** The pairs that the pass finds among the rows that are still open. */
const pairsBy = ({ known, seen }: Open, pass: Pass): readonly Pair[] => {
  if (known.length === 0 || seen.length === 0) return [];
  const candidates = grouped(known, pass.known);
  if (candidates.size === 0) return [];
  const found: Pair[] = [];
  for (const [key, rows] of grouped(seen, pass.seen)) {
    const others = candidates.get(key) ?? [];
    if (pass.unique === true && (rows.length !== 1 || others.length !== 1)) continue;
    for (let i = 0; i < rows.length && i < others.length; i++) found.push({ known: others[i]!, seen: rows[i]! });
  }
  return found;
};

export const taking = (open: Open, pairs: readonly Pair[]): Open => {
  if (pairs.length === 0) return open;
  const known = new Set(pairs.map((pair) => pair.known));
  const seen = new Set(pairs.map((pair) => pair.seen));
  return {
    pairs: [...open.pairs, ...pairs],
    known: open.known.filter((row) => !known.has(row)),
    seen: open.seen.filter((row) => !seen.has(row)),
  };
};

export const pairUp = (open: Open, passes: readonly Pass[]): Open =>
  passes.reduce((left, pass) => taking(left, pairsBy(left, pass)), open);
