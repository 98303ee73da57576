import { negate } from '@causeway/money';
import { readIsoDate, type ReadDate } from '../calendar.ts';
import { isCurrency } from '../currency.ts';
import { readDecimal } from '../decimal.ts';
import { nodesAt, textAt, type XmlNode } from './xml-node.ts';

export type SignedAmount = Readonly<{ amount: string; currency: string | null }>;

/** `Amt` with its `CdtDbtInd`, as it is: a reversal's mark already says which way its own money goes. Null: unreadable. */
export const signedAmount = (node: XmlNode): SignedAmount | null => {
  const [amountNode] = nodesAt(node, 'Amt');
  const amount = readDecimal(amountNode?.text.trim() ?? '');
  const mark = textAt(node, 'CdtDbtInd');
  const currency = amountNode?.currency ?? null;
  if (amount === null || (mark !== 'CRDT' && mark !== 'DBIT') || (currency !== null && !isCurrency(currency)))
    return null;
  return { amount: mark === 'DBIT' ? negate(amount) : amount, currency };
};

/** `Dt` or `DtTm` under an element; null where it is absent or no date. */
export const dateAt = (node: XmlNode, name: string): ReadDate | null =>
  readIsoDate(textAt(node, name, 'Dt') ?? textAt(node, name, 'DtTm') ?? '');
