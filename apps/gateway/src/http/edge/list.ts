import { problems, Refused, type CursorBinding, type Cursors } from '@causeway/http';
import type { JsonPage, JsonRow, PageRead, Query } from '@causeway/read-models';
import type { Asked } from './from.ts';
import type { Reads } from './reads.ts';

type ListQuery = Readonly<{ cursor?: string; limit: number }>;

/** A request for a page: who asks, and the query that the cursor is bound to. */
export type Paged = Readonly<{ asked: Asked; query: object }>;

export const bindingOf = ({ asked: { caller, path }, query }: Paged): CursorBinding => ({
  organization: caller.organization,
  environment: caller.environment,
  endpoint: path,
  parameters: { ...query },
});

/** The list envelope around one page, as text. `read` gets the key to start after; undefined: from the beginning. */
export const list = async (
  cursors: Cursors,
  paged: Paged & Readonly<{ query: ListQuery }>,
  read: (after: readonly string[] | undefined) => Promise<JsonPage>,
): Promise<string> => {
  const { cursor } = paged.query;
  const binding = bindingOf(paged);
  const after = cursor === undefined ? undefined : cursors.open(binding, cursor);
  if (cursor !== undefined && after === undefined) throw new Refused(problems.invalidCursor);
  const { data, hasMore, key } = await read(after);
  const pagination = JSON.stringify({ hasMore, nextCursor: hasMore ? cursors.seal(binding, key) : null });
  const meta = JSON.stringify({ requestId: paged.asked.requestId });
  return `{"data":[${data}],"pagination":${pagination},"meta":${meta}}`;
};

/** A page of rows that come as JSON. */
export const jsonPageOf = async <Row extends JsonRow>(
  reads: Reads,
  { query, pageOf }: PageRead<Row>,
): Promise<JsonPage> => pageOf(await reads.rows<Row>(query));

/** A page of rows that are rendered here. The query asks for one row more than `limit`. */
export const rowPageOf = async <Row extends object>(
  reads: Reads,
  query: Query,
  limit: number,
  render: (row: Row) => object,
): Promise<JsonPage> => {
  const rows = await reads.rows<Row & Readonly<{ key: readonly string[] }>>(query);
  const shown = rows.slice(0, limit);
  return {
    data: shown.map((row) => JSON.stringify(render(row))).join(','),
    hasMore: rows.length > limit,
    key: shown.at(-1)?.key ?? [],
  };
};
