/** One column of a sort order. */
export type SortKey = Readonly<{
  column: string;
  type: 'date' | 'text' | 'timestamptz' | 'uuid';
  descending?: true;
  /** What holds it in a row's text, exactly; and what it is where that holds null. */
  member?: string;
  whenNull?: string;
}>;

/** The last key makes the order total. */
export type Order = readonly [SortKey, SortKey, ...SortKey[]];

/** As the cursor holds it: nothing is lost on the way to the client and back. */
export const keyText = ({ type }: SortKey, expression: string): string =>
  type === 'timestamptz' ? `to_char(${expression}, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')` : `(${expression})::text`;

export const orderBy = (order: Order): string =>
  `ORDER BY ${order.map(({ column, descending }) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ')}`;

/**
 * The rows after a key. A row comparison where every column has one direction: an index then starts at the key,
 * however deep the page. Two columns of opposite directions: the index starts at the first column's value.
 */
export const afterKey = (order: Order, places: readonly string[]): string => {
  const [first, second] = order;
  const compare = ({ descending }: SortKey) => (descending ? '<' : '>');
  if (order.every(({ descending }) => descending === first.descending)) {
    return `(${order.map(({ column }) => column).join(', ')}) ${compare(first)} (${places.join(', ')})`;
  }
  if (order.length !== 2) throw new Error('an order of mixed directions has two columns');
  const [a, b] = places;
  const further = `${first.column} ${compare(first)} ${a} OR ${second.column} ${compare(second)} ${b}`;
  return `${first.column} ${compare(first)}= ${a} AND (${further})`;
};
