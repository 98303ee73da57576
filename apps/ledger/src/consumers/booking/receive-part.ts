import type { Connector } from '@causeway/bank-connectors';
import type { StatementPartV1 } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import { faultOfPage, type StatementPage } from '@causeway/domain/ledger';
import type { Causes } from './account.ts';
import { bookPage, type Books, type PageToBook } from './book-page.ts';
import { keepPart, openPage, type ReceivedPart } from './parts.ts';
import { recordPage, recordRefusal } from './runs.ts';

/** What Nest finds the parts by that booking needs. */
export const RECEIVING = Symbol('receiving');

export type Receiving = Books &
  Readonly<{ dataKeys: DataKeys; connectors: Readonly<Record<string, Pick<Connector, 'map'>>> }>;

type Mapped = Readonly<{ page: StatementPage }> | Readonly<{ refusal: string }>;

/** Mapping is pure: what it throws, it will throw again. So the page is refused, and the run goes on without it. */
const mapPage = (connector: Pick<Connector, 'map'> | undefined, parts: readonly Buffer[]): Mapped => {
  if (connector === undefined) return { refusal: 'no connector reads it' };
  try {
    const page = connector.map(parts);
    const refusal = faultOfPage(page);
    return refusal === undefined ? { page } : { refusal };
  } catch (error) {
    return { refusal: error instanceof Error ? error.message : String(error) };
  }
};

const accountOf = (part: StatementPartV1): PageToBook['account'] => {
  const { accountId, connectionId, entityId, organization, environment, currency } = part;
  return { accountId, connectionId, entityId, organization, environment, currency };
};

/** Keeps a part until its page is whole; with the last one, books the page. Safe to repeat, each part in order. */
export const receivePart = async (ledger: Receiving, received: ReceivedPart, causes: Causes): Promise<void> => {
  const { pool, dataKeys, connectors } = ledger;
  const { part } = received;
  const { runId, accountId, page: number } = part;
  if (part.part < part.parts - 1) return keepPart(pool, received);

  const refuse = async (reason: string): Promise<void> => {
    await recordRefusal(pool, runId, { accountId, page: number, reason });
    await recordPage(pool, { runId, number });
  };
  const opened = await openPage(pool, dataKeys, received);
  switch (opened.outcome) {
    case 'unreadable':
      return undefined;
    case 'incomplete':
      return refuse('a part of the page is missing');
    case 'opened': {
      const mapped = mapPage(connectors[part.connector], opened.parts);
      if ('refusal' in mapped) return refuse(mapped.refusal);
      await bookPage(ledger, { account: accountOf(part), runId, number, page: mapped.page, causes });
    }
  }
};
