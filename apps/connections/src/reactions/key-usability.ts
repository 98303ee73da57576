import type { KeyUsabilityV1 } from '@causeway/contracts';
import type { Scope } from '@causeway/domain/connections';
import type { Pool } from '@causeway/postgres';

/** Until when somebody can read what is synced for an organization. The messages of one come in order. */
export const noteUsability = async (
  pool: Pool,
  { organization, environment, usableUntil }: KeyUsabilityV1,
): Promise<void> => {
  await pool.query(
    `INSERT INTO connections.key_usability (organization, environment, usable_until) VALUES ($1, $2, $3)
     ON CONFLICT (organization, environment) DO UPDATE SET usable_until = excluded.usable_until`,
    [organization, environment, usableUntil],
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
