import { gathering } from '@causeway/concurrency';
import type { Order } from '@causeway/domain/transfers';
import type { Pool } from '@causeway/postgres';
import { payableAccounts, type OwnedId, type PayableAccountRow } from '@causeway/read-models';

/** The accounts on both sides of an order; undefined: not known, or another's, or somebody else is paid. */
export type Sides = Readonly<{ source: PayableAccountRow | undefined; destination: PayableAccountRow | undefined }>;
type Between = Pick<Order, 'sourceAccountId' | 'destination'>;
export type SidesOf = (order: Between, owner: Omit<OwnedId, 'id'>) => Promise<Sides>;

type Found = ReadonlyMap<string, PayableAccountRow>;

const keyOf = ({ id, environment, organization }: OwnedId): string => `${id} ${environment} ${organization}`;

/** One statement for all orders that come while the one before is under way. */
export const sidesIn = (pool: Pool): SidesOf => {
  const find = gathering(async (wanted: readonly OwnedId[]): Promise<Found> => {
    const { text, values } = payableAccounts(wanted);
    const { rows } = await pool.query<PayableAccountRow>({ name: 'payable_accounts', text, values: [...values] });
    return new Map(rows.map((row) => [keyOf(row), row]));
  });
  return async ({ sourceAccountId, destination: to }, { organization, environment }) => {
    const source = { id: sourceAccountId, organization, environment };
    const destination = to.type === 'account' ? { ...source, id: to.accountId } : undefined;
    const found = await find(destination === undefined ? [source] : [source, destination]);
    return { source: found.get(keyOf(source)), destination: destination && found.get(keyOf(destination)) };
  };
};
