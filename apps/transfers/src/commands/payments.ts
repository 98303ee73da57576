import { institutionById, type BankAccess, type Connector, type Payments } from '@causeway/bank-connectors';

/** How an institution is paid through; undefined where it takes no payment orders. */
export type PaymentsAt = (institutionId: string | null) => Payments | undefined;

export const paymentsVia =
  (connectors: Readonly<Record<string, Connector>>): PaymentsAt =>
  (institutionId) => {
    const connector = institutionId === null ? null : (institutionById(institutionId)?.connector ?? null);
    return connector === null ? undefined : connectors[connector]?.payments;
  };

export type AccessTo = (connectionId: string, institutionId: string) => BankAccess;
