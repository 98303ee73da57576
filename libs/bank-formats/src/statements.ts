import type { ClosingBalance } from '@causeway/domain/ledger';
import { add } from '@causeway/money';
import { accountText, balanceAnomalies, type CheckedStatement } from './balance-checks.ts';
import type { Balances, BankFileFormat, Entry, FileAccount, FileEvent, Refusal, StatementHead } from './file-event.ts';

/** One statement with its figures; its pages are one. */
export type Statement = StatementHead & Balances & Readonly<{ transactions: number; sum: string }>;

export type FileFigures = Readonly<{
  format: BankFileFormat | null;
  refusal: Refusal | null;
  anomalies: readonly string[];
  statements: readonly Statement[];
}>;

/** More are counted, not listed: a file in the wrong format has one for each line. */
const anomaliesListedMax = 200;

type Running = {
  readonly index: number;
  readonly head: StatementHead;
  balances: Balances | null;
  /** Of all its pages. */
  readonly closings: ClosingBalance[];
  transactions: number;
  sum: string;
  booked: string;
};

type State = {
  format: BankFileFormat | null;
  refusal: Refusal | null;
  anomalies: string[];
  unlisted: number;
  statements: Running[];
  byPages: Map<string, Running>;
  accounts: Map<string, FileAccount>;
  current: Running | null;
};

/** What the pages of one statement share; null for a format whose statements have no number. */
const pagesKey = ({ id, account }: StatementHead): string | null =>
  id === null ? null : JSON.stringify([id, account.number, account.currency]);

/** A text cut out of a chunk of the file keeps all of the chunk, as long as it is not copied. V8 copies shorter ones. */
const own = <T extends string | null>(text: T): T =>
  text === null || text.length < 13 ? text : (Buffer.from(text, 'utf16le').toString('utf16le') as T);

const ownBalances = (balances: Balances): Balances => ({
  ...balances,
  opening: own(balances.opening),
  closing: own(balances.closing),
  available: own(balances.available),
  current: own(balances.current),
  currentAvailable: own(balances.currentAvailable),
  closings: [],
});

/** Statements of one account share it. Reports are shared as they come, but for what camt names them by. */
const ownHead = (state: State, { id, account, report }: StatementHead): StatementHead => {
  const key = JSON.stringify(account);
  const shared = state.accounts.get(key) ?? structuredClone(account);
  state.accounts.set(key, shared);
  return { id: own(id), account: shared, report: id === null ? report : { ...report, key: own(report.key) } };
};

/** A later page adds what the earlier one lacked, and closes what it left open. Their closings are kept apart. */
const withPage = (earlier: Balances, page: Balances): Balances => ({
  date: page.date ?? earlier.date,
  opening: earlier.opening ?? page.opening,
  closing: page.closing ?? earlier.closing,
  available: page.available ?? earlier.available,
  current: page.current ?? earlier.current,
  currentAvailable: page.currentAvailable ?? earlier.currentAvailable,
  closings: earlier.closings,
  begins: earlier.begins || page.begins,
  ends: earlier.ends || page.ends,
});

const addAnomaly = (state: State, text: string): void => {
  if (state.anomalies.length < anomaliesListedMax) state.anomalies.push(text);
  else state.unlisted += 1;
};

/** A statement may have as many pages as a file has statements. */
const addBalances = (statement: Running, page: Balances): void => {
  for (const { date, amount } of page.closings) statement.closings.push({ date, amount: own(amount) });
  const balances = ownBalances(page);
  statement.balances = statement.balances === null ? balances : withPage(statement.balances, balances);
};

const open = (state: State, read: StatementHead): Running => {
  const key = pagesKey(read);
  const earlier = key === null ? undefined : state.byPages.get(key);
  if (earlier !== undefined) return earlier;
  const head = ownHead(state, read);
  const index = state.statements.length;
  const opened: Running = { index, head, balances: null, closings: [], transactions: 0, sum: '0', booked: '0' };
  state.statements.push(opened);
  if (key !== null) state.byPages.set(key, opened);
  return opened;
};

const count = (state: State, statement: Running, { status, content }: Entry): void => {
  statement.transactions += 1;
  statement.sum = add(statement.sum, content.amount);
  const isForeign = content.currency !== statement.head.account.currency;
  if (isForeign) addAnomaly(state, `${accountText(statement.head)}: an entry of ${content.amount} ${content.currency}`);
  else if (status === 'posted') statement.booked = add(statement.booked, content.amount);
};

const apply = (state: State, event: FileEvent): void => {
  const { current } = state;
  if (event.type === 'format') state.format = event.format;
  else if (event.type === 'statement') state.current = open(state, event.statement);
  else if (event.type === 'anomaly') addAnomaly(state, event.text);
  else if (event.type === 'refused') state.refusal = event.refusal;
  else if (current !== null && event.type === 'entry') count(state, current, event.entry);
  else if (current !== null && event.type === 'balances') addBalances(current, event.balances);
};

/** Of a statement that the file breaks off in. */
const noBalances: Balances = {
  date: null,
  opening: null,
  closing: null,
  available: null,
  current: null,
  currentAvailable: null,
  closings: [],
  begins: false,
  ends: false,
};

/** Field by field: put together by spreading, a hundred thousand of them take five times the memory. */
const statementOf = ({ head, balances, closings, transactions, sum }: Running): Statement => {
  const { date, opening, closing, available, current, currentAvailable, begins, ends } = balances ?? noBalances;
  const { id, account, report } = head;
  return {
    id,
    account,
    report,
    date,
    opening,
    closing,
    available,
    current,
    currentAvailable,
    closings,
    begins,
    ends,
    transactions,
    sum,
  };
};

const figuresOf = ({ format, refusal, anomalies, unlisted, statements }: State): FileFigures => {
  const ofBalances = balanceAnomalies(statements satisfies readonly CheckedStatement[]);
  const more = unlisted + Math.max(0, ofBalances.length - anomaliesListedMax);
  return {
    format,
    refusal,
    anomalies: [...anomalies, ...ofBalances.slice(0, anomaliesListedMax), ...(more > 0 ? [`and ${more} more`] : [])],
    statements: statements.map(statementOf),
  };
};

/** Folds a file's events to its figures, in memory that grows with its statements and not with its entries. */
export const fileFigures = () => {
  const state: State = {
    format: null,
    refusal: null,
    anomalies: [],
    unlisted: 0,
    statements: [],
    byPages: new Map(),
    accounts: new Map(),
    current: null,
  };
  return {
    /** Answers the index of the statement in which the event stands; -1 before the first. */
    apply: (event: FileEvent): number => {
      apply(state, event);
      return state.current?.index ?? -1;
    },
    figures: (): FileFigures => figuresOf(state),
  };
};
