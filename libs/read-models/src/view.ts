/** The role that the gateway's sessions run as. It may read the views of this schema and nothing else of a service. */
export const gatewayRole = 'causeway_gateway';
export const readModelsSchema = 'read_models';

/** Whose the views are: each of these roles may make its own. */
export const ownerRoles = [
  'causeway_connections',
  'causeway_ledger',
  'causeway_transfers',
  'causeway_webhooks',
] as const;

/** Roles that may read a view. transfers checks accounts, and connections their status, before it takes an order. */
type Readers = Readonly<{ readers?: readonly string[] }>;

/**
 * The statements that (re)make one view. Run them in one transaction: readers then see the old view or the new one.
 * The view reads its table as its owner, so a reader needs no right on the table.
 */
export const viewStatements = (name: string, select: string, { readers = [] }: Readers = {}): readonly string[] => [
  `DROP VIEW IF EXISTS ${readModelsSchema}.${name}`,
  `CREATE VIEW ${readModelsSchema}.${name} AS ${select}`,
  `GRANT SELECT ON ${readModelsSchema}.${name} TO ${[gatewayRole, ...readers].join(', ')}`,
];

/** From a logical table name to the physical one, schema included. */
export type TableName = (logical: string) => string;
