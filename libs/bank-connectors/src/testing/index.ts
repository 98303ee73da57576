export { connectorConformance } from './conformance.ts';
export type { BankUnderTest } from './conformance.ts';
