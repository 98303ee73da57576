export { add, canonical, compare, isDecimal, negate, plain, sign, subtract } from './decimal.ts';
