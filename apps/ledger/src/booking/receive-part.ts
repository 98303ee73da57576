import type { Connector } from '@causeway/bank-connectors';
import type { StatementPartV1 } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import { faultOfPage, placeOf, wholePage, type StatementPage } from '@causeway/domain/ledger';
import type { Causes } from './account.ts';
import { bookPage, refusePage } from './book-page.ts';
import type { Books, PageToBook } from './books.ts';
import { breathing } from './breath.ts';
import { forgetParts, gatherParts, openParts, type ReceivedPart } from './parts.ts';

/** What Nest finds the parts by that booking needs. */
export const RECEIVING = Symbol('receiving');

export type Receiving = Books &
  Readonly<{ dataKeys: DataKeys; connectors: Readonly<Record<string, Pick<Connector, 'map'>>> }>;

type Mapped = Readonly<{ page: StatementPage }> | Readonly<{ refusal: string }>;

/** One by one: all parts at once would hold the thread. */
const mapParts = async (connector: Pick<Connector, 'map'>, parts: readonly Buffer[]): Promise<StatementPage> => {
  const pages: StatementPage[] = [];
  const breathe = breathing();
  for (const part of parts) {
    pages.push(connector.map(part));
    await breathe();
  }
  return wholePage(pages);
};

/** Mapping is pure: what it throws, it will throw again. So the page is refused, and the run goes on without it. */
const mapPage = async (
  connector: Pick<Connector, 'map'> | undefined,
  parts: readonly Buffer[],
  bankDay: string,
): Promise<Mapped> => {
  if (connector === undefined) return { refusal: 'no connector reads it' };
  try {
    const page = await mapParts(connector, parts);
    const refusal = faultOfPage(page, bankDay);
    return refusal === undefined ? { page } : { refusal };
  } catch {
    return { refusal: 'it cannot be read' };
  }
};

const accountOf = (part: StatementPartV1): PageToBook['account'] => {
  const { accountId, connectionId, entityId, organization, environment, currency } = part;
  return { accountId, connectionId, entityId, organization, environment, currency };
};

/** Keeps a part until its page is whole, then books the page. Safe to repeat. */
export const receivePart = async (ledger: Receiving, received: ReceivedPart, causes: Causes): Promise<void> => {
  const { pool, dataKeys, connectors } = ledger;
  const { part } = received;
  const ciphers = await gatherParts(pool, received);
  const parts = ciphers && (await openParts(dataKeys, part, ciphers));
  if (ciphers === undefined || parts === undefined) return;
  const mapped = await mapPage(connectors[part.connector], parts, part.bankDay);
  const task = {
    account: accountOf(part),
    runId: part.runId,
    number: part.page,
    place: placeOf(part.run, part.page),
    bytes: ciphers.reduce((sum, { length }) => sum + length, 0),
    causes,
  };
  if ('refusal' in mapped) await refusePage(ledger, task, mapped.refusal);
  else await bookPage(ledger, { ...task, page: mapped.page });
  if (part.part < part.parts - 1) await forgetParts(pool, part);
};
