import type { Difference } from './projection.ts';
import type { Row } from './differing-rows.ts';

type Fields = Difference['fields'];
type Member = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Member =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member that only one side has makes no difference: a version that adds one would touch every row. */
const isSame = (before: unknown, after: unknown): boolean =>
  isObject(before) && isObject(after)
    ? Object.keys(before).every((name) => !(name in after) || isSame(before[name], after[name]))
    : JSON.stringify(before) === JSON.stringify(after);

/** What a text says that is a JSON object. */
const parsed = (text: unknown): Member | undefined => {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** A row as people read it: what its JSON says, and what stands beside. */
const membersOf = (row: Row, json = ''): Member => {
  const told = parsed(row[json]);
  if (told === undefined) return row;
  const columns = Object.entries(row).filter(([name]) => name !== json);
  return { ...Object.fromEntries(columns), ...told };
};

/** All that is said of a row that only one side has. */
const fieldsOf = (row: Row, json = '', pair: (value: unknown) => [unknown, unknown]): Fields => {
  const told = Object.entries(parsed(row[json]) ?? row).filter(([, value]) => value !== null);
  return Object.fromEntries(told.map(([name, value]) => [name, pair(value)]));
};

/** Members that both have, with other values. */
export const changedFields = (before: Row, after: Row, json?: string): Fields => {
  const isReadable = [before, after].every((row) => parsed(row[json ?? '']) !== undefined);
  const [was, is] = isReadable ? [membersOf(before, json), membersOf(after, json)] : [before, after];
  const changed = Object.keys(was).filter((name) => name in is && !isSame(was[name], is[name]));
  return Object.fromEntries(changed.map((name) => [name, [was[name], is[name]]]));
};

type Version = Row & Readonly<{ supersededAt?: unknown }>;

/** Versions that the other side has not, or has otherwise. */
const differingVersions = (of: readonly Version[], others: readonly Version[], json?: string): readonly Row[] => {
  const byTime = new Map(others.map((other) => [other.supersededAt, other]));
  return of.filter((version) => {
    const other = byTime.get(version.supersededAt);
    return other === undefined || Object.keys(changedFields(version, other, json)).length > 0;
  });
};

/** A row and what it was before, oldest first. */
export type Past = Readonly<{ row: Row | undefined; versions: readonly Row[] }>;

/** How two generations show a row; undefined: alike. `history`: versions that are not the same. */
export const differenceOf = (before: Past, after: Past, json?: string): Omit<Difference, 'id'> | undefined => {
  const [was, is] = [before.row, after.row];
  if (was === undefined) {
    return is && { change: 'added', fields: fieldsOf(is, json, (value) => [null, value]) };
  }
  if (is === undefined) return { change: 'removed', fields: fieldsOf(was, json, (value) => [value, null]) };
  const past = [
    differingVersions(before.versions, after.versions, json),
    differingVersions(after.versions, before.versions, json),
  ] as const;
  const isSamePast = past[0].length + past[1].length === 0;
  const fields = { ...changedFields(was, is, json), ...(isSamePast ? {} : { history: past }) };
  return Object.keys(fields).length === 0 ? undefined : { change: 'changed', fields };
};
