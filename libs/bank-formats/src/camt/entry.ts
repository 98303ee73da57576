import { transactionContent } from '@causeway/domain/ledger';
import { accountEnd, narrative, rawNarrative, shortText, usableReference } from '../entry-text.ts';
import type { Entry, EntryContext, ReadEntry } from '../file-event.ts';
import { dateAt, signedAmount } from './amounts.ts';
import { kindOf } from './kinds.ts';
import { nodesAt, parseNode, textAt, type XmlNode } from './xml-node.ts';

const statuses = new Map<string, Entry['status']>(
  Object.entries({
    BOOK: 'posted',
    PDNG: 'pending',
    INFO: 'information',
    FUTR: 'future',
  } as const),
);

const textsAt = (nodes: readonly XmlNode[], ...path: readonly string[]): readonly string[] =>
  nodes.flatMap((node) => nodesAt(node, ...path)).flatMap((node) => node.text.trim() || []);

/** What all details of a batch agree on; where they differ the row as a whole has none. */
const agreed = (texts: readonly (string | null)[]): string | null => {
  const distinct = new Set(texts.filter((text) => text !== null));
  const [only = null] = distinct;
  return distinct.size === 1 ? only : null;
};

const narrativeOf = (entry: XmlNode, details: readonly XmlNode[]): readonly string[] => {
  const remittance = textsAt(details, 'RmtInf', 'Ustrd');
  if (remittance.length > 0) return remittance;
  const additional = textsAt(details, 'AddtlTxInf');
  return additional.length > 0 ? additional : textsAt([entry], 'AddtlNtryInf');
};

const referencesOf = (entry: XmlNode, details: readonly XmlNode[]) => {
  const endToEnd = agreed(textsAt(details, 'Refs', 'EndToEndId').map(usableReference));
  const structured = agreed(textsAt(details, 'RmtInf', 'Strd', 'CdtrRefInf', 'Ref').map(usableReference));
  const detail = agreed(textsAt(details, 'Refs', 'AcctSvcrRef').map(usableReference));
  return {
    customerReference: endToEnd ?? structured,
    bankReference: usableReference(textAt(entry, 'AcctSvcrRef')) ?? detail,
  };
};

/** The other side: who paid a credit, who was paid by a debit. */
const counterpartyOf = (details: readonly XmlNode[], isCredit: boolean) => {
  const [party, ultimate] = isCredit ? ['Dbtr', 'UltmtDbtr'] : ['Cdtr', 'UltmtCdtr'];
  const nameOf = (role: string): string | null =>
    agreed([...textsAt(details, 'RltdPties', role, 'Nm'), ...textsAt(details, 'RltdPties', role, 'Pty', 'Nm')]);
  const account = ['RltdPties', `${party}Acct`, 'Id'];
  const number = agreed([...textsAt(details, ...account, 'IBAN'), ...textsAt(details, ...account, 'Othr', 'Id')]);
  return {
    counterpartyName: shortText(nameOf(party) ?? nameOf(ultimate)),
    counterpartyAccountEnd: accountEnd(number),
  };
};

const readDates = (entry: XmlNode, context: EntryContext, isPosted: boolean) => {
  const [booking, value] = [dateAt(entry, 'BookgDt'), dateAt(entry, 'ValDt')];
  const problems = [booking, value].flatMap((read) => (read?.clamped === true ? ['a date that does not exist'] : []));
  const valueDate = value?.date ?? null;
  const postedDate = isPosted ? (booking?.date ?? context.day ?? valueDate) : null;
  // Rows still pending count under the day of the report: the final report of that day settles them.
  return { postedDate, valueDate, day: postedDate ?? context.day ?? valueDate, problems };
};

export const camtEntryOf = (entry: XmlNode, context: EntryContext): ReadEntry => {
  const money = signedAmount(entry);
  const currency = money?.currency ?? context.currency;
  if (money === null || currency === null) return { entry: null, problems: ['the amount of an entry is unreadable'] };
  const statusText = textAt(entry, 'Sts') ?? textAt(entry, 'Sts', 'Cd') ?? '';
  const status = statuses.get(statusText);
  if (status === undefined) return { entry: null, problems: [`unknown status ${statusText || '(none)'} of an entry`] };
  const { postedDate, valueDate, day, problems } = readDates(entry, context, status === 'posted');
  if (day === null) return { entry: null, problems: ['an entry has no date'] };

  const details = nodesAt(entry, 'NtryDtls', 'TxDtls');
  const lines = narrativeOf(entry, details);
  const references = referencesOf(entry, details);
  const { typeCode, ...kind } = kindOf(entry);
  const content = transactionContent({
    postedDate,
    amount: money.amount,
    currency,
    description: narrative(lines),
    rawDescription: rawNarrative(lines),
    ...references,
    ...kind,
    ...counterpartyOf(details, !money.amount.startsWith('-')),
  });
  return { entry: { status, bankId: references.bankReference, day, valueDate, typeCode, content }, problems };
};

/** One `Ntry`, as it stood in the file, → the entry. Pure: the same record and context always give the same. */
export const camtEntry = (record: string, context: EntryContext): ReadEntry => camtEntryOf(parseNode(record), context);
