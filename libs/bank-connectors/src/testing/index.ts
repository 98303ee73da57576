export { connectorConformance } from './conformance.ts';
export { fuzzStatementFiles } from '../statement-files/testing/fuzz.ts';
export type { BankUnderTest } from './conformance.ts';
