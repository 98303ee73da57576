import type { BankAccess, Connector } from '@causeway/bank-connectors';

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
