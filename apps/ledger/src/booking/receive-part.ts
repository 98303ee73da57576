import { mapPage, type Books, type Causes, type Mappings } from '@causeway/booking';
import type { StatementPartV1 } from '@causeway/contracts';
import type { DataKeys } from '@causeway/data-keys';
import { placeOf } from '@causeway/domain/ledger';
import { bookPage, refusePage } from './book-page.ts';
import type { PageToBook } from './whole-page.ts';
import { forgetParts, gatherParts, openParts, type ReceivedPart } from './parts.ts';

/** What Nest finds the parts by that booking needs. */
export const RECEIVING = Symbol('receiving');

export type Receiving = Books & Readonly<{ dataKeys: DataKeys; connectors: Mappings }>;

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
