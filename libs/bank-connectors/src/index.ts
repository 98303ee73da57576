export { BankFault } from './connector.ts';
export type {
  BankAccess,
  BankAccount,
  BankDay,
  BankFaultKind,
  BankSession,
  Connector,
  Credentials,
  Fetched,
  PageRange,
  PaymentOrder,
  Payments,
  PaymentState,
  RawPage,
} from './connector.ts';
export { institutionById, institutionByPortalUrl, institutions } from './institutions.ts';
export type { Institution } from './institutions.ts';
export { connectors } from './registry.ts';
