import { partBytesMax, partRowsMax } from '../connector.ts';
import { badAnswer, listIn, parseMembers, type Members } from './records.ts';

const listNames = { booked: 'transactions', pending: 'pending' } as const;

const partOf = (page: Members, listName: string, rows: readonly unknown[], isLast: boolean): Buffer => {
  const closings = listName === listNames.booked && !isLast ? { closingBalances: [] } : {};
  return Buffer.from(JSON.stringify({ ...page, ...closings, [listName]: rows }));
};

/** Halves what is too large, so that every part fits whatever its rows weigh. */
const split = (page: Members, listName: string, rows: readonly unknown[], isLast: boolean): Buffer[] => {
  const part = rows.length <= partRowsMax ? partOf(page, listName, rows, isLast) : undefined;
  if (part !== undefined && part.length <= partBytesMax) return [part];
  if (rows.length <= 1) throw badAnswer(`a single row of more than ${partBytesMax} bytes`);
  // Whole multiples of a full part, so that only the last one is short.
  const half = Math.ceil(rows.length / 2);
  const cut = rows.length > partRowsMax ? Math.ceil(half / partRowsMax) * partRowsMax : half;
  return [...split(page, listName, rows.slice(0, cut), false), ...split(page, listName, rows.slice(cut), isLast)];
};

/** A page that fits is passed on as it came, unread; only a larger one is taken apart. */
export const partsOf = (body: Buffer, kind: keyof typeof listNames, rowCount: number): readonly Buffer[] => {
  if (rowCount <= partRowsMax && body.length <= partBytesMax) return [body];
  const page = parseMembers(body, 'a page');
  const listName = listNames[kind];
  return split(page, listName, listIn(page, listName), true);
};
