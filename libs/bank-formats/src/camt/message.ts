import type { BankFileFormat, EntryContext, EventSink } from '../file-event.ts';
import { balancesMax } from '../limits.ts';
import { refuse } from '../refused.ts';
import { signedAmount } from './amounts.ts';
import type { CapturedElement, ElementHandler } from './elements.ts';
import { camtEntryOf } from './entry.ts';
import { accountOf, balancesOf, headOf, type CamtFormat, type CamtPage, type CamtParts } from './statement.ts';
import { textAt, type XmlNode } from './xml-node.ts';

/** Which message a document is shows in the one element it must have, whatever namespace or envelope is around it. */
const messages = new Map<string, BankFileFormat>(
  Object.entries({
    BkToCstmrAcctRpt: 'camt.052',
    BkToCstmrStmt: 'camt.053',
    BkToCstmrDbtCdtNtfctn: 'camt.054',
    CstmrCdtTrfInitn: 'pain.001',
    CstmrPmtStsRpt: 'pain.002',
    CstmrDrctDbtInitn: 'pain.008',
  } as const),
);
const statementElements: Readonly<Record<CamtFormat, string>> = {
  'camt.052': 'Rpt',
  'camt.053': 'Stmt',
  'camt.054': 'Ntfctn',
};
/** Children of a statement that are read; the others (interest, summaries, related accounts) are passed over. */
const keptElements: readonly string[] = ['Id', 'CreDtTm', 'FrToDt', 'Acct', 'Bal', 'Ntry'];

const isCamt = (format: BankFileFormat): format is CamtFormat => format in statementElements;

/** The context of its entries is there once the head has been told, which is with the first of them. */
type OpenStatement = { parts: CamtParts; context: EntryContext | null };

export type CamtMessage = {
  readonly sink: EventSink;
  format: CamtFormat | null;
  /** How deep the message element stands. */
  depth: number;
  page: CamtPage;
  createdAt: string | null;
  open: OpenStatement | null;
  /** Statements so far. */
  statements: number;
};

export const camtMessage = (sink: EventSink): CamtMessage => ({
  sink,
  format: null,
  depth: 0,
  page: { isFirst: true, isLast: true },
  createdAt: null,
  open: null,
  statements: 0,
});

const anomaly = (at: CamtMessage, line: number, text: string): void =>
  at.sink({ type: 'anomaly', text: `line ${line}: ${text}` });

/** `entry`: the first one, for the currency where neither the account nor a balance names one. */
const tellHead = (at: CamtMessage, { parts }: OpenStatement, line: number, entry?: XmlNode): EntryContext => {
  const entryCurrency = entry === undefined ? null : (signedAmount(entry)?.currency ?? null);
  const account = accountOf(parts, entryCurrency) ?? refuse('a statement names no account that could be one', { line });
  const { page, statements: number, createdAt: messageCreatedAt } = at;
  const statement = headOf(parts, account, { format: at.format ?? 'camt.053', page, number, messageCreatedAt });
  at.sink({ type: 'statement', statement });
  return { currency: account.currency, day: statement.report.day, pending: false };
};

const takeEntry = (at: CamtMessage, open: OpenStatement, { node, record, line }: CapturedElement): void => {
  open.context ??= tellHead(at, open, line, node);
  const { entry, problems } = camtEntryOf(node, open.context);
  for (const problem of problems) anomaly(at, line, problem);
  if (entry !== null) at.sink({ type: 'entry', entry, record });
};

const takeBalance = (at: CamtMessage, { balances }: CamtParts, { node, line }: CapturedElement): void => {
  if (signedAmount(node) === null) anomaly(at, line, 'a balance is unreadable');
  if (balances.length >= balancesMax) refuse(`more than ${balancesMax} balances in a statement`, { line });
  balances.push(node);
};

const takeHeader = (at: CamtMessage, header: XmlNode): void => {
  const pageNumber = textAt(header, 'MsgPgntn', 'PgNb') ?? '1';
  const isLast = textAt(header, 'MsgPgntn', 'LastPgInd') ?? 'true';
  at.createdAt = textAt(header, 'CreDtTm');
  at.page = { isFirst: Number(pageNumber) === 1, isLast: isLast === 'true' || isLast === '1' };
};

const captured = (at: CamtMessage, name: string, element: CapturedElement): void => {
  const { open } = at;
  if (open === null) takeHeader(at, element.node);
  else if (name === 'Ntry') takeEntry(at, open, element);
  else if (name === 'Bal') takeBalance(at, open.parts, element);
  else if (name === 'Acct') open.parts.account = element.node;
  else open.parts.texts.set(name, element.node);
};

const findMessage = (at: CamtMessage, name: string, depth: number, line: number): void => {
  const format = messages.get(name);
  if (format === undefined) return;
  at.sink({ type: 'format', format });
  if (!isCamt(format)) return refuse(`format ${format} is not supported`, { line });
  at.format = format;
  at.depth = depth;
};

const opens = (at: CamtMessage, path: readonly string[], line: number): boolean => {
  const name = path.at(-1) ?? '';
  const below = path.length - at.depth;
  if (at.format === null) {
    findMessage(at, name, path.length, line);
    return false;
  }
  if (at.open !== null) return below === 2 && keptElements.includes(name);
  if (below !== 1 || name !== statementElements[at.format]) return below === 1 && name === 'GrpHdr';
  at.statements += 1;
  at.open = { parts: { account: null, balances: [], texts: new Map() }, context: null };
  return false;
};

const closes = (at: CamtMessage, depth: number, line: number): void => {
  if (at.format === null) return;
  if (at.open !== null && depth === at.depth + 1) {
    at.open.context ??= tellHead(at, at.open, line);
    at.sink({ type: 'balances', balances: balancesOf(at.open.parts, at.page) });
    at.open = null;
  }
  if (depth !== at.depth) return;
  if (at.statements === 0) refuse('the message holds no statement', { line });
  at.format = null;
};

/** The elements of a message → events. */
export const messageHandler = (at: CamtMessage): ElementHandler => ({
  opens: (path, line) => opens(at, path, line),
  captured: (path, element) => captured(at, path.at(-1) ?? '', element),
  closes: (path, line) => closes(at, path.length, line),
});
