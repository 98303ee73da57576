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

/** An account as a report of some day shows it. */
export type DatedAccount = Readonly<{ day: string; account: BankAccount }>;

/** Keeps each account as the latest report shows it, the last of a day. */
export const addAccounts = (latest: Map<string, DatedAccount>, accounts: readonly DatedAccount[]): void => {
  for (const dated of accounts) {
    const before = latest.get(dated.account.key);
    if (before === undefined || before.day <= dated.day) latest.set(dated.account.key, dated);
  }
};

/** The accounts of a file. Ignored reports show none. */
export const accountsIn = (statements: readonly Statement[]): readonly DatedAccount[] => {
  const latest = new Map<string, DatedAccount>();
  for (const statement of statements) {
    const { currency } = statement.account;
    if (statement.report.ignored !== null || currency === null) continue;
    addAccounts(latest, [{ day: dayOf(statement), account: accountFrom(statement, currency) }]);
  }
  return [...latest.values()];
};
