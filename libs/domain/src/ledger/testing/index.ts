export { deliveries } from './deliveries.ts';
export { openBank, perform, steps, truthOf, type BankRow } from './simulated-bank.ts';
