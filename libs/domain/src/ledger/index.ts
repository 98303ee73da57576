export { rails } from './statement.ts';
export type {
  ClosingBalance,
  Coverage,
  DayRange,
  Rail,
  StatementPage,
  StatementRow,
  TransactionContent,
} from './statement.ts';
