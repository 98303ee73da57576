export { add, canonical, compare, isDecimal, negate, sign, subtract } from './decimal.ts';
