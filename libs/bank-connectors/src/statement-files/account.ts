import type { Statement } from '@causeway/bank-formats';
import type { BankAccount, BankAccountType } from '../connector.ts';
import { accountKeyOf } from './page-plan.ts';

/** ISO 20022 cash account types. */
const types = new Map<string, BankAccountType>(
  Object.entries({
    CACC: 'checking',
    TRAN: 'checking',
    SVGS: 'savings',
    MOMA: 'moneyMarket',
    CARD: 'creditCard',
    LOAN: 'loan',
  } as const),
);

const dayOf = ({ report }: Statement): string => report.day ?? '';

/** A closing balance holds at the end of its day, an interim one when the report was made. */
const balanceAsOf = ({ closing, date, report }: Statement): string | null =>
  closing !== null && date !== null ? `${date}T23:59:59.999Z` : report.createdAt;

const accountFrom = (statement: Statement, currency: string): BankAccount => {
  const { account, current, currentAvailable } = statement;
  const hasBalance = current !== null || currentAvailable !== null;
  return {
    key: accountKeyOf(account),
    number: account.number,
    type: types.get(account.typeCode ?? '') ?? 'unknown',
    currency,
    // Most files name no account; the number itself is not shown where a name is.
    name: account.name ?? `Account ••••${account.number.slice(-4)}`,
    officialName: null,
    status: 'open',
    routingNumber: account.routingNumber,
    swiftBic: account.swiftBic,
    currentBalance: current,
    availableBalance: currentAvailable,
    balanceAsOf: hasBalance ? balanceAsOf(statement) : null,
  };
};

/** The accounts of some files, each as its latest statement shows it. Ignored reports show none. */
export const accountsIn = (statements: readonly Statement[]): readonly BankAccount[] => {
  const latest = new Map<string, Statement>();
  for (const statement of statements) {
    const { report, account } = statement;
    if (report.ignored !== null || account.currency === null) continue;
    const before = latest.get(accountKeyOf(account));
    if (before === undefined || dayOf(before) <= dayOf(statement)) latest.set(accountKeyOf(account), statement);
  }
  return [...latest.values()].map((statement) => accountFrom(statement, statement.account.currency ?? ''));
};
