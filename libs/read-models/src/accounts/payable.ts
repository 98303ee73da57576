import type { Owner, Query } from '../query.ts';
import type { ConnectionStatus } from '../connections/row.ts';

/** An account as far as a transfer cares, with the connection that it is paid through. */
export type PayableAccountRow = Readonly<{
  id: string;
  connectionId: string;
  institutionId: string | null;
  connectionStatus: ConnectionStatus;
  type: string;
  currency: string;
  status: string;
  accountNumber: string | null;
  currentBalance: string | null;
  availableBalance: string | null;
}>;

/** Those of the accounts that are the owner's. */
export const payableAccounts = (ids: readonly string[], { organization, environment }: Owner): Query => ({
  text: `
    SELECT a.id, a.connection_id AS "connectionId", c.institution_id AS "institutionId",
           c.status AS "connectionStatus", a.type, a.currency, a.status, a.account_number AS "accountNumber",
           a.current_balance AS "currentBalance", a.available_balance AS "availableBalance"
      FROM read_models.accounts_v1 a JOIN read_models.connections_v1 c ON c.id = a.connection_id
     WHERE a.id = ANY ($1::uuid[]) AND a.organization = $2 AND a.environment = $3`,
  values: [ids, organization, environment],
});
