import { problems, Refused } from '@causeway/http';
import type { Pool } from '@causeway/postgres';
import type { Query } from '@causeway/read-models';

/** The one way in which the gateway asks the database: it selects. */
export type Reads = Readonly<{
  rows<T extends object>(query: Query): Promise<readonly T[]>;
  /** The first row, where there is one. */
  row<T extends object>(query: Query): Promise<T | undefined>;
  /** The first row; without one the request is answered with 404. */
  found<T extends object>(query: Query): Promise<T>;
}>;

/**
 * A session keeps its prepared statements for good. Beyond this many different texts (every `fields` is another), the
 * rest are parsed each time.
 */
const preparedMax = 500;

export const reads = (pool: Pool): Reads => {
  const names = new Map<string, string>();

  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= preparedMax) return known;
    const name = `read_${names.size}`;
    names.set(text, name);
    return name;
  };

  const rows = async <T extends object>({ text, values }: Query): Promise<readonly T[]> => {
    const name = nameOf(text);
    const statement = { text, values: [...values] };
    const result = await pool.query<T>(name === undefined ? statement : { ...statement, name });
    const found = result.rows;
    // By the timer of its time limit, pg's query outlives its answer, and what it holds is moved to the old generation.
    // Page after page, that was a third of what a request cost.
    result.rows = [];
    return found;
  };
  const row = async <T extends object>(query: Query): Promise<T | undefined> => (await rows<T>(query))[0];
  const found = async <T extends object>(query: Query): Promise<T> => {
    const first = await row<T>(query);
    if (first === undefined) throw new Refused(problems.notFound);
    return first;
  };
  return { rows, row, found };
};
