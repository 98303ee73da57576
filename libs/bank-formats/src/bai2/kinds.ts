import type { Rail } from '@causeway/domain/ledger';

/** A 16 record of this code carries text and no money. */
export const textOnlyCode = '890';

/** Which way the money went, by the type code alone; null for codes that are not movements. */
export const directionOf = (typeCode: string): 'credit' | 'debit' | null => {
  if (!/^\d{3}$/.test(typeCode)) return null;
  const code = Number(typeCode);
  if ((code >= 100 && code <= 399) || (code >= 920 && code <= 959)) return 'credit';
  if ((code >= 400 && code <= 699) || (code >= 960 && code <= 999)) return 'debit';
  return null;
};

type Kind = Readonly<{ rail: Rail; category: string | null }>;

const kind = (rail: Rail, category: string | null = null): Kind => ({ rail, category });

const kinds: Readonly<Record<string, Kind>> = {
  '142': kind('ach'),
  '165': kind('ach'),
  '451': kind('ach'),
  '455': kind('ach'),
  '195': kind('wire'),
  '495': kind('wire'),
  '475': kind('check'),
  '175': kind('check', 'deposit'),
  '301': kind('other', 'deposit'),
  '206': kind('internalTransfer'),
  '275': kind('internalTransfer'),
  '506': kind('internalTransfer'),
  '575': kind('internalTransfer'),
  '354': kind('other', 'interest'),
  '698': kind('other', 'fee'),
};

export const kindOf = (typeCode: string): Kind => kinds[typeCode] ?? kind('unknown');
