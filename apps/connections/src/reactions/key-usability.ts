import type { KeyUsabilityV1 } from '@causeway/contracts';
import type { Scope } from '@causeway/domain/connections';
import type { Pool } from '@causeway/postgres';

/** Until when somebody can read what is synced for an organization. A message that comes again, and late, says nothing. */
export const noteUsability = async (
  pool: Pool,
  { organization, environment, usableUntil, position }: KeyUsabilityV1,
): Promise<void> => {
  await pool.query(
    `INSERT INTO connections.key_usability AS known (organization, environment, usable_until, position)
     VALUES ($1, $2, $3, $4)
     ON CONFLICT (organization, environment) DO UPDATE SET usable_until = excluded.usable_until, position = $4
      WHERE known.position < $4`,
    [organization, environment, usableUntil, position],
  );
};

/** Whether there is a key that can read it. What is not known counts as usable. */
export const isReadable = async (pool: Pool, { organization, environment }: Scope): Promise<boolean> => {
  const { rows } = await pool.query({
    name: 'key_usability.ended',
    text: `SELECT 1 FROM connections.key_usability
            WHERE organization = $1 AND environment = $2 AND (usable_until IS NULL OR usable_until <= now())`,
    values: [organization, environment],
  });
  return rows.length === 0;
};
