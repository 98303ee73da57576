import type { Pool } from '@causeway/postgres';
import { payableAccounts, type OwnedId, type PayableAccountRow } from '@causeway/read-models';

/** The accounts on both sides of an order; undefined: not known, or another's. */
export type Sides = Readonly<{ source: PayableAccountRow | undefined; destination: PayableAccountRow | undefined }>;
type Order = Readonly<{ sourceAccountId: string; destinationAccountId: string }>;
export type SidesOf = (order: Order, owner: Omit<OwnedId, 'id'>) => Promise<Sides>;

type Found = ReadonlyMap<string, PayableAccountRow>;

const keyOf = ({ id, environment, organization }: OwnedId): string => `${id} ${environment} ${organization}`;

/** One statement for all orders that come while the one before is under way. */
export const sidesIn = (pool: Pool): SidesOf => {
  let last: Promise<unknown> = Promise.resolve();
  let next: Readonly<{ wanted: OwnedId[]; found: Promise<Found> }> | undefined;

  const look = async (wanted: readonly OwnedId[]): Promise<Found> => {
    next = undefined;
    const { text, values } = payableAccounts(wanted);
    const { rows } = await pool.query<PayableAccountRow>({ name: 'payable_accounts', text, values: [...values] });
    return new Map(rows.map((row) => [keyOf(row), row]));
  };
  const gather = () => {
    const wanted: OwnedId[] = [];
    const found = last.then(() => look(wanted));
    last = found.catch(() => undefined);
    return { wanted, found };
  };

  return async ({ sourceAccountId, destinationAccountId }, { organization, environment }) => {
    next ??= gather();
    const source = { id: sourceAccountId, organization, environment };
    const destination = { ...source, id: destinationAccountId };
    next.wanted.push(source, destination);
    const found = await next.found;
    return { source: found.get(keyOf(source)), destination: found.get(keyOf(destination)) };
  };
};
