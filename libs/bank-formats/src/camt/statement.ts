import { nextDay, readIsoDate, readTimestamp } from '../calendar.ts';
import { isCurrency } from '../currency.ts';
import { shortText } from '../entry-text.ts';
import type { Balances, FileAccount, Report, StatementHead } from '../file-event.ts';
import { accountNumberCharsMax, statementIdCharsMax } from '../limits.ts';
import { dateAt, signedAmount } from './amounts.ts';
import { nodesAt, textAt, type XmlNode } from './xml-node.ts';

export type CamtFormat = 'camt.052' | 'camt.053' | 'camt.054';

/** What a statement has said so far, its entries aside. */
export type CamtParts = { account: XmlNode | null; balances: XmlNode[]; texts: Map<string, XmlNode> };

/** `PgNb` and `LastPgInd` of the message. */
export type CamtPage = Readonly<{ isFirst: boolean; isLast: boolean }>;

type Balance = Readonly<{ type: string; amount: string; currency: string | null; date: string | null }>;

const readBalance = (node: XmlNode): Balance | null => {
  const money = signedAmount(node);
  // An interim balance closes a page, not a day.
  const isOfPage = textAt(node, 'Tp', 'SubTp', 'Cd') === 'INTM';
  const type = textAt(node, 'Tp', 'CdOrPrtry', 'Cd');
  return money === null || type === null || isOfPage
    ? null
    : { ...money, type, date: dateAt(node, 'Dt')?.date ?? null };
};

const readBalances = (nodes: readonly XmlNode[]): readonly Balance[] =>
  nodes.flatMap((node) => readBalance(node) ?? []);

const lastOf = (balances: readonly Balance[], ...types: readonly string[]): Balance | undefined => {
  for (const type of types) {
    const found = balances.findLast((balance) => balance.type === type);
    if (found !== undefined) return found;
  }
  return undefined;
};

export const balancesOf = (parts: CamtParts, page: CamtPage): Balances => {
  const all = readBalances(parts.balances);
  const closing = lastOf(all, 'CLBD');
  const opening = all.find(({ type }) => type === 'OPBD') ?? all.find(({ type }) => type === 'PRCD');
  const closings = all.flatMap(({ type, date, amount }) =>
    type === 'CLBD' && date !== null ? [{ date, amount }] : [],
  );
  return {
    date: closing?.date ?? null,
    opening: opening?.amount ?? null,
    closing: closing?.amount ?? null,
    available: lastOf(all, 'CLAV')?.amount ?? null,
    current: lastOf(all, 'CLBD', 'ITBD')?.amount ?? null,
    currentAvailable: lastOf(all, 'CLAV', 'ITAV')?.amount ?? null,
    closings,
    begins: page.isFirst,
    ends: page.isLast,
  };
};

export const accountOf = (parts: CamtParts, entryCurrency: string | null): FileAccount | null => {
  const { account } = parts;
  const iban = account === null ? null : textAt(account, 'Id', 'IBAN');
  const number = iban ?? (account === null ? null : textAt(account, 'Id', 'Othr', 'Id'));
  if (account === null || number === null || number.length > accountNumberCharsMax) return null;
  const [institution] = nodesAt(account, 'Svcr', 'FinInstnId');
  const bic = institution && (textAt(institution, 'BICFI') ?? textAt(institution, 'BIC'));
  const member = institution && textAt(institution, 'ClrSysMmbId', 'MmbId');
  const named = textAt(account, 'Ccy');
  const own = named !== null && isCurrency(named) ? named : null;
  const currency = own ?? readBalances(parts.balances).find((each) => each.currency)?.currency;
  return {
    // An IBAN names its bank; whether the servicer is named beside it differs between one bank's reports.
    bank: iban === null ? (shortText(bic ?? member ?? null) ?? '') : '',
    number: number.replaceAll(' ', ''),
    currency: currency ?? entryCurrency,
    name: shortText(textAt(account, 'Nm') ?? textAt(account, 'Ownr', 'Nm')),
    typeCode: shortText(textAt(account, 'Tp', 'Cd')),
    routingNumber: null,
    swiftBic: shortText(bic ?? null),
  };
};

const period = (parts: CamtParts) => {
  const node = parts.texts.get('FrToDt');
  const read = (name: string): string | null =>
    node === undefined ? null : (readIsoDate(textAt(node, `${name}Tm`) ?? textAt(node, name) ?? '')?.date ?? null);
  return { from: read('FrDt'), to: read('ToDt') };
};

/** The days whose last word this is: up to the closing balance, from where the bank says, if that makes sense. */
const coveredDays = (parts: CamtParts, closingDate: string | null): Report['covers'] => {
  if (closingDate === null) return null;
  const { from, to } = period(parts);
  // The end may be written as midnight, which is the day after.
  const isPlausible =
    from !== null && to !== null && from <= closingDate && (to === closingDate || to === nextDay(closingDate));
  return { from: isPlausible ? from : closingDate, to: closingDate };
};

type Setting = Readonly<{ format: CamtFormat; page: CamtPage; number: number; messageCreatedAt: string | null }>;

export const headOf = (parts: CamtParts, account: FileAccount, setting: Setting): StatementHead => {
  const all = readBalances(parts.balances);
  const id = parts.texts.get('Id')?.text.trim().slice(0, statementIdCharsMax) || null;
  const createdText = parts.texts.get('CreDtTm')?.text.trim() ?? setting.messageCreatedAt;
  const closingDate = lastOf(all, 'CLBD')?.date ?? null;
  const reportDate = closingDate ?? lastOf(all, 'ITBD', 'ITAV', 'OPBD')?.date ?? period(parts).to;
  const isStatement = setting.format === 'camt.053';
  const report: Report = {
    // Statements of one account never overlap; successive intraday reports do.
    key: isStatement ? 'statements' : `report ${id ?? setting.number}`,
    day: reportDate ?? readIsoDate(createdText ?? '')?.date ?? null,
    pending: false,
    covers: isStatement && setting.page.isLast ? coveredDays(parts, closingDate) : null,
    corrects: false,
    ignored: setting.format === 'camt.054' ? 'notification' : null,
    createdAt: readTimestamp(createdText ?? ''),
  };
  return { id, account, report };
};
