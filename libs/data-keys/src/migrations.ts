import { ensureRole, migrate, migration, type Migration } from '@causeway/postgres';

/** Of connections, of webhooks, and of those whom organizations pay: whoever can read the one is no nearer to the other. */
export const connectionKeysSchema = 'data_keys';
export const webhookKeysSchema = 'webhooks_keys';
export const payeeKeysSchema = 'transfers_keys';
export const dataKeysSchemas: readonly string[] = [connectionKeysSchema, webhookKeysSchema, payeeKeysSchema];

/** Where the data keys are that the events of a service are encrypted under. */
export const keysSchemaOf = (service: string): string =>
  service === 'transfers' ? payeeKeysSchema : connectionKeysSchema;

/** `owner`: the one role that makes and destroys keys. `readers`: the roles that use them. */
export type DataKeyRoles = Readonly<{ owner: string; readers: readonly string[]; schema?: string }>;

const table = (schema: string): string => `
CREATE TABLE ${schema}.data_key (
  id uuid PRIMARY KEY,
  -- Whose it is. Null only where it was destroyed before it was made.
  organization text,
  environment text,
  -- The key sealed under the master key of that id. Null once it was destroyed: the row stays, so that it is never made again.
  wrapped bytea,
  master_key_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  destroyed_at timestamptz,
  CHECK (wrapped IS NULL OR (organization, environment) IS NOT NULL),
  CHECK ((wrapped IS NULL) = (destroyed_at IS NOT NULL)),
  CHECK ((wrapped IS NULL) = (master_key_id IS NULL))
);
CREATE INDEX data_key_wrapped ON ${schema}.data_key (master_key_id) WHERE wrapped IS NOT NULL;

-- The only way for a role to change a row: none may UPDATE or DELETE, so what was destroyed cannot be put back.
-- Says when it was done, however often it is asked for.
CREATE FUNCTION ${schema}.destroy(p_id uuid) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO ${schema}.data_key (id, destroyed_at) VALUES (p_id, now())
  ON CONFLICT (id) DO UPDATE SET wrapped = NULL, master_key_id = NULL,
    destroyed_at = coalesce(data_key.destroyed_at, now())
  RETURNING destroyed_at
$$;
REVOKE EXECUTE ON FUNCTION ${schema}.destroy FROM PUBLIC;`;

const grants = (schema: string, { owner, readers }: DataKeyRoles): string => {
  const all = [owner, ...readers];
  return `
${all.map(ensureRole).join('\n')}
GRANT USAGE ON SCHEMA ${schema} TO ${all.join(', ')};
GRANT SELECT ON ${schema}.data_key TO ${all.join(', ')};
GRANT INSERT (id, organization, environment, wrapped, master_key_id) ON ${schema}.data_key TO ${owner};
GRANT EXECUTE ON FUNCTION ${schema}.destroy TO ${owner};`;
};

/** For `migrate(url, schema, …)`. */
export const dataKeyMigrations = (roles: DataKeyRoles): readonly Migration[] => {
  const { schema = connectionKeysSchema } = roles;
  return [migration('DataKeys1767225600000', table(schema) + grants(schema, roles))];
};

/** connections alone makes and destroys those of connections; the ledger reads bank data under them. */
const rolesOf: Readonly<Record<string, DataKeyRoles>> = {
  [connectionKeysSchema]: { owner: 'causeway_connections', readers: ['causeway_ledger'] },
  [webhookKeysSchema]: { schema: webhookKeysSchema, owner: 'causeway_webhooks', readers: [] },
  [payeeKeysSchema]: { schema: payeeKeysSchema, owner: 'causeway_transfers', readers: [] },
};

/** `url`: of the database of the data keys. */
export const migrateDataKeys = (url: string, schema: string): Promise<void> =>
  migrate(url, schema, dataKeyMigrations(rolesOf[schema] as DataKeyRoles));
