import { ensureRole, migration, type Migration } from '@causeway/postgres';

export const dataKeysSchema = 'data_keys';

/** `owner`: the one role that makes and destroys keys. `readers`: the roles that use them. */
export type DataKeyRoles = Readonly<{ owner: string; readers: readonly string[] }>;

const table = `
CREATE TABLE data_keys.data_key (
  connection_id uuid PRIMARY KEY,
  -- The key sealed under the master key. Null once it was destroyed: the row stays, so that it is never made again.
  wrapped bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  destroyed_at timestamptz,
  CHECK ((wrapped IS NULL) = (destroyed_at IS NOT NULL))
);

-- The only way to change a row: no role may UPDATE or DELETE, so what was destroyed cannot be put back.
CREATE FUNCTION data_keys.destroy(p_connection_id uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO data_keys.data_key (connection_id, destroyed_at) VALUES (p_connection_id, now())
  ON CONFLICT (connection_id) DO UPDATE SET wrapped = NULL, destroyed_at = now()
  WHERE data_key.destroyed_at IS NULL
$$;
REVOKE EXECUTE ON FUNCTION data_keys.destroy FROM PUBLIC;`;

const grants = ({ owner, readers }: DataKeyRoles): string => {
  const all = [owner, ...readers];
  return `
${all.map(ensureRole).join('\n')}
GRANT USAGE ON SCHEMA data_keys TO ${all.join(', ')};
GRANT SELECT ON data_keys.data_key TO ${all.join(', ')};
GRANT INSERT (connection_id, wrapped) ON data_keys.data_key TO ${owner};
GRANT EXECUTE ON FUNCTION data_keys.destroy TO ${owner};`;
};

/** For `migrate(url, dataKeysSchema, …)`. */
export const dataKeyMigrations = (roles: DataKeyRoles): readonly Migration[] => [
  migration('DataKeys1767225600000', table + grants(roles)),
];
