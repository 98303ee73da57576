import type { Rail } from '@causeway/domain/ledger';
import { shortText } from '../entry-text.ts';
import { nodesAt, textAt, type XmlNode } from './xml-node.ts';

export type CamtKind = Readonly<{
  typeCode: string | null;
  baiCode: string | null;
  rail: Rail;
  category: string | null;
}>;

/** ISO 20022 bank transaction codes: domain, families, sub-families → rail. */
const domainRails: readonly (readonly [families: string, subFamilies: string, rail: Rail])[] = [
  ['RCDT ICDT', 'ESCT', 'sepaCredit'],
  ['RCDT ICDT', 'XBCT', 'swift'],
  ['RDDT IDDT', 'ESDD BBDD', 'sepaDebit'],
  // Instant payments; the interface has no rail of their own for them.
  ['RRCT IRCT', '*', 'sepaCredit'],
  ['CCRD MCRD', '*', 'card'],
  ['RCHQ ICHQ', '*', 'check'],
  ['CNTR', '*', 'cash'],
];

/** German transaction codes (GVC), which banks write as `NTRF+166+…`. */
const gvcRails: Readonly<Record<string, Rail>> = {
  ...Object.fromEntries(['116', '117', '152', '153', '166'].map((gvc) => [gvc, 'sepaCredit' as const])),
  ...Object.fromEntries(['104', '105', '108', '109'].map((gvc) => [gvc, 'sepaDebit' as const])),
};

const lists = (codes: string, code: string): boolean => codes === '*' || codes.split(' ').includes(code);

const domainRail = (domain: string, family: string, subFamily: string): Rail | null => {
  if (domain !== 'PMNT') return null;
  const row = domainRails.find(([families, subFamilies]) => lists(families, family) && lists(subFamilies, subFamily));
  return row?.[2] ?? null;
};

const firstCode = (candidates: readonly XmlNode[]): XmlNode | undefined =>
  candidates.find((each) => textAt(each, 'Domn', 'Cd') !== null || textAt(each, 'Prtry', 'Cd') !== null);

/** `BkTxCd` of the entry, else of its first detail that has one. */
export const kindOf = (entry: XmlNode): CamtKind => {
  const code = firstCode([...nodesAt(entry, 'BkTxCd'), ...nodesAt(entry, 'NtryDtls', 'TxDtls', 'BkTxCd')]);
  if (code === undefined) return { typeCode: null, baiCode: null, rail: 'unknown', category: null };
  const domain = textAt(code, 'Domn', 'Cd') ?? '';
  const family = textAt(code, 'Domn', 'Fmly', 'Cd') ?? '';
  const subFamily = textAt(code, 'Domn', 'Fmly', 'SubFmlyCd') ?? '';
  const proprietary = shortText(textAt(code, 'Prtry', 'Cd'));
  const gvc = /^[A-Z]{4}\+(\d{3})(?!\d)/.exec(proprietary ?? '')?.[1] ?? '';
  const isFee = domain === 'ACMT' && subFamily === 'CHRG';
  return {
    typeCode:
      domain === '' ? proprietary : shortText([domain, family, subFamily].filter((part) => part !== '').join('-')),
    baiCode: textAt(code, 'Prtry', 'Issr') === 'BAI' ? proprietary : null,
    rail: domainRail(domain, family, subFamily) ?? gvcRails[gvc] ?? (isFee ? 'other' : 'unknown'),
    category: isFee ? 'fee' : null,
  };
};
