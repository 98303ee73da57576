import { bankFileFormats, type BankFileFormat, type EventSink, type FileParser } from '../file-event.ts';
import { refuse } from '../refused.ts';
import { xmlDecoder } from '../xml-text.ts';
import { signedAmount } from './amounts.ts';
import { elementReader, type CapturedElement } from './elements.ts';
import { camtEntryOf } from './entry.ts';
import { accountOf, balancesOf, headOf, type CamtFormat, type CamtPage, type CamtParts } from './statement.ts';
import { textAt, type XmlNode } from './xml-node.ts';

/** Which message a document is shows in the one element it must have, whatever namespace or envelope is around it. */
const messages: Readonly<Record<string, BankFileFormat>> = {
  BkToCstmrAcctRpt: 'camt.052',
  BkToCstmrStmt: 'camt.053',
  BkToCstmrDbtCdtNtfctn: 'camt.054',
  CstmrCdtTrfInitn: 'pain.001',
  CstmrPmtStsRpt: 'pain.002',
  CstmrDrctDbtInitn: 'pain.008',
};
const statementElements: Readonly<Record<CamtFormat, string>> = {
  'camt.052': 'Rpt',
  'camt.053': 'Stmt',
  'camt.054': 'Ntfctn',
};
const isCamt = (format: BankFileFormat): format is CamtFormat => format in statementElements;

type Open = { parts: CamtParts; context: { currency: string | null; day: string | null; pending: false } | null };

/** The message → events. A statement's head is told with its first entry: what comes before an entry belongs to it. */
const camtMessage = (sink: EventSink) => {
  let format: CamtFormat | null = null;
  let messageDepth = 0;
  let page: CamtPage = { isFirst: true, isLast: true };
  let messageCreatedAt: string | null = null;
  let number = 0;
  let open: Open | null = null;

  const begin = (at: Open, entry: XmlNode | null, line: number) => {
    const entryCurrency = entry === null ? null : (signedAmount(entry)?.currency ?? null);
    const account = accountOf(at.parts, entryCurrency) ?? refuse('a statement names no account', { line });
    const setting = { format: format ?? 'camt.053', page, number, messageCreatedAt };
    const statement = headOf(at.parts, account, setting);
    sink({ type: 'statement', statement });
    return { currency: account.currency, day: statement.report.day, pending: false as const };
  };

  const takeEntry = (at: Open, { node, record, line }: CapturedElement): void => {
    at.context ??= begin(at, node, line);
    const { entry, problems } = camtEntryOf(node, at.context);
    for (const text of problems) sink({ type: 'anomaly', text: `line ${line}: ${text}` });
    if (entry !== null) sink({ type: 'entry', entry, record });
  };

  const takeHeader = (node: XmlNode): void => {
    messageCreatedAt = textAt(node, 'CreDtTm');
    const isLast = textAt(node, 'MsgPgntn', 'LastPgInd') ?? 'true';
    page = {
      isFirst: Number(textAt(node, 'MsgPgntn', 'PgNb') ?? 1) === 1,
      isLast: isLast === 'true' || isLast === '1',
    };
  };

  const takeElement = (element: CapturedElement, path: readonly string[]): void => {
    const name = path.at(-1) ?? '';
    if (open === null) return name === 'GrpHdr' ? takeHeader(element.node) : undefined;
    if (name === 'Ntry') return takeEntry(open, element);
    if (name === 'Acct') open.parts.account = element.node;
    else if (name === 'Bal') {
      if (signedAmount(element.node) === null)
        sink({ type: 'anomaly', text: `line ${element.line}: a balance is unreadable` });
      open.parts.balances.push(element.node);
    } else open.parts.texts.set(name, element.node);
  };

  const openMessage = (name: string, depth: number, line: number): void => {
    const found = messages[name];
    if (found === undefined) return;
    sink({ type: 'format', format: found });
    if (!isCamt(found)) return refuse(`format ${found} is not supported`, { line });
    format = found;
    messageDepth = depth;
  };
  const opens = (path: readonly string[], line: number): boolean => {
    const name = path.at(-1) ?? '';
    if (format === null) {
      openMessage(name, path.length, line);
      return false;
    }
    const depth = path.length - messageDepth;
    if (depth === 1 && name === statementElements[format]) {
      number += 1;
      open = { parts: { account: null, balances: [], texts: new Map() }, context: null };
      return false;
    }
    return open === null ? depth === 1 && name === 'GrpHdr' : depth === 2 && kept.includes(name);
  };

  const closes = (path: readonly string[], line: number): void => {
    if (format === null) return;
    if (open !== null && path.length === messageDepth + 1) {
      open.context ??= begin(open, null, line);
      sink({ type: 'balances', balances: balancesOf(open.parts, page) });
      open = null;
    }
    if (path.length !== messageDepth) return;
    if (number === 0) refuse('the message holds no statement', { line });
    format = null;
  };
  return { opens, captured: takeElement, closes, seen: (): number => number };
};

/** Children of a statement that are read; the others (interest, summaries, related accounts) are passed over. */
const kept: readonly string[] = ['Id', 'CreDtTm', 'FrToDt', 'Acct', 'Bal', 'Ntry'];

/** camt.052, .053 and .054 of any version, entry by entry. `head`: the first bytes, where the encoding shows. */
export const camtParser = (sink: EventSink, head: Buffer): FileParser => {
  const message = camtMessage(sink);
  const reader = elementReader(message);
  const decoder = xmlDecoder(head);
  return {
    write: (bytes) => reader.write(decoder.write(bytes)),
    end: () => {
      reader.write(decoder.end());
      reader.end();
      if (message.seen() === 0) refuse(`no message of ${bankFileFormats.filter(isCamt).join(', ')} in it`, { line: 1 });
    },
  };
};
