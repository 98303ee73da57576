import type { Connector } from '@causeway/bank-connectors';
import { faultOfPage, wholePage, type StatementPage } from '@causeway/domain/ledger';
import { breathing } from './breath.ts';

export type Mapping = Pick<Connector, 'map'>;
/** By the names of connectors. */
export type Mappings = Readonly<Record<string, Mapping>>;

type Mapped = Readonly<{ page: StatementPage }> | Readonly<{ refusal: string }>;

/** One by one: all parts at once would hold the thread. */
const mapParts = async (mapping: Mapping, parts: readonly Buffer[]): Promise<StatementPage> => {
  const pages: StatementPage[] = [];
  const breathe = breathing();
  for (const part of parts) {
    pages.push(mapping.map(part));
    await breathe();
  }
  return wholePage(pages);
};

/** Mapping is pure: what it throws, it will throw again. So the page is refused, and nothing of it is booked. */
export const mapPage = async (
  mapping: Mapping | undefined,
  parts: readonly Buffer[],
  bankDay: string,
): Promise<Mapped> => {
  if (mapping === undefined) return { refusal: 'no connector reads it' };
  try {
    const page = await mapParts(mapping, parts);
    const refusal = faultOfPage(page, bankDay);
    return refusal === undefined ? { page } : { refusal };
  } catch {
    return { refusal: 'it cannot be read' };
  }
};
