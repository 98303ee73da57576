import type { Owner, Query } from '../query.ts';
import type { ConnectionStatus } from '../connections/row.ts';

/** An account as far as a transfer cares, with the connection that it is paid through. */
export type PayableAccountRow = Readonly<{
  id: string;
  organization: string;
  environment: string;
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

/** An id, and whose it is said to be. */
export type OwnedId = Owner & Readonly<{ id: string }>;

/** Those of the accounts that are their owners'. */
export const payableAccounts = (wanted: readonly OwnedId[]): Query => ({
  text: `
    SELECT a.id, a.organization, a.environment, a.connection_id AS "connectionId", c.institution_id AS "institutionId",
           c.status AS "connectionStatus", a.type, a.currency, a.status, a.account_number AS "accountNumber",
           a.current_balance AS "currentBalance", a.available_balance AS "availableBalance"
      FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::text[], $3::text[]) AS w (id, organization, environment)) w
      JOIN read_models.accounts_v1 a USING (id, organization, environment)
      JOIN read_models.connections_v1 c ON c.id = a.connection_id`,
  values: [
    wanted.map(({ id }) => id),
    wanted.map(({ organization }) => organization),
    wanted.map(({ environment }) => environment),
  ],
});
