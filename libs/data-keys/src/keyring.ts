import type { Pool } from '@causeway/postgres';
import { DataKeyDestroyed, type KeyOwner } from './data-keys.ts';
import { newSealingKey, type SealingKey } from './envelope.ts';
import { expiring } from './expiring.ts';
import type { Wrapped, wrapping } from './wrapping.ts';

/** How long a key stays in memory, and so how long another process may still read after `destroy`. */
const rememberedMs = 5000;

type Place = Readonly<{ pool: Pool; schema: string }>;
type Row = KeyOwner & (Wrapped | Readonly<{ wrapped: null }>);

/** `open` unwraps it once: whose it is can be told, too, where it cannot be opened. */
type Found = Readonly<{ owner: KeyOwner; open(): SealingKey | 'destroyed' }>;

const isSame = (one: KeyOwner, other: KeyOwner): boolean =>
  one.organization === other.organization && one.environment === other.environment;

type Wrapping = ReturnType<typeof wrapping>;

const finder =
  ({ pool, schema }: Place, unwrap: Wrapping['unwrap']) =>
  async (id: string): Promise<Found | undefined> => {
    const { rows } = await pool.query<Row>({
      name: `${schema}.find`,
      text: `SELECT organization, environment, wrapped, master_key_id AS "masterKeyId"
               FROM ${schema}.data_key WHERE id = $1`,
      values: [id],
    });
    const [row] = rows;
    let key: ReturnType<Found['open']> | undefined;
    return row && { owner: row, open: () => (key ??= row.wrapped === null ? 'destroyed' : unwrap(id, row)) };
  };

/** The data keys of one schema, each wrapped in its row. */
export const keyring = (place: Place, { wrap, unwrap }: Wrapping) => {
  const { pool, schema } = place;
  const find = finder(place, unwrap);
  const remembered = expiring(find, rememberedMs);

  /** Undefined, for a key never made, is not kept: it may be made a moment later. */
  const known = async (id: string): Promise<Found | undefined> => {
    const found = await remembered.get(id);
    if (found === undefined) remembered.forget(id);
    return found;
  };

  const create = async (id: string, owner: KeyOwner): Promise<void> => {
    const { wrapped, masterKeyId } = wrap(id, newSealingKey());
    await pool.query(
      `INSERT INTO ${schema}.data_key (id, organization, environment, wrapped, master_key_id)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO NOTHING`,
      [id, owner.organization, owner.environment, wrapped, masterKeyId],
    );
    const found = await find(id);
    if (found?.open() === 'destroyed') throw new DataKeyDestroyed(id);
    if (!found || !isSame(found.owner, owner)) throw new Error(`the data key of ${id} is another owner's`);
  };

  const isOf = async (id: string, owner: KeyOwner): Promise<boolean> => {
    const found = await known(id);
    return found !== undefined && isSame(found.owner, owner);
  };

  const destroy = async (id: string): Promise<string> => {
    const { rows } = await pool.query<{ at: string }>(`SELECT ${schema}.destroy($1) AS at`, [id]);
    remembered.forget(id);
    if (rows[0] === undefined) throw new Error('destroy answered nothing');
    return rows[0].at;
  };

  const keyOf = async (id: string): Promise<Found> => {
    const found = await known(id);
    if (found === undefined) throw new Error(`no data key was made for ${id}`);
    return found;
  };

  return { create, isOf, destroy, keyOf };
};
