import type { BankAccess, Connector } from '@causeway/bank-connectors';
import type { DataKeys } from '@causeway/data-keys';
import type { Known } from '@causeway/domain/connections';
import { credentialsOf } from './credentials.ts';

export type Banks = Readonly<{
  connectors: Readonly<Record<string, Connector>>;
  accessTo(connectionId: string, institutionId: string): BankAccess;
}>;

export type Bank = Readonly<{ connector: Connector; access: BankAccess }>;

type Named = Readonly<{ connector: string | null; institutionId: string | null }>;

/** Who is asked for a connection, and as whom. Undefined: nothing can log in there. */
export const bankOf = (
  banks: Banks,
  connectionId: string,
  { connector: name, institutionId }: Named,
): Bank | undefined => {
  const connector = banks.connectors[name ?? ''];
  if (connector === undefined || institutionId === null) return undefined;
  return { connector, access: banks.accessTo(connectionId, institutionId) };
};

/** The same with the credentials of a delegated user. Throws `DataKeyDestroyed` for a connection that is deleted. */
export const loginAt = async (
  parts: Banks & Readonly<{ dataKeys: DataKeys }>,
  connectionId: string,
  state: Known,
): Promise<Bank | undefined> => {
  const bank = bankOf(parts, connectionId, state);
  if (bank === undefined || !bank.connector.isDelegated) return bank;
  const credentials = await credentialsOf(parts.dataKeys, connectionId, state.login);
  return { ...bank, access: { ...bank.access, credentials } };
};
