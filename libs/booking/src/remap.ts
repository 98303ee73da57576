import { placeOf, remapPage, type Booked, type ByOperator } from '@causeway/domain/ledger';
import type { Account, Causes } from './account.ts';
import { appendChanges } from './append-changes.ts';
import type { Books, MappedPage } from './books.ts';
import { catchUp } from './catch-up.ts';
import { unlessClosed } from './connection-lock.ts';
import { mapPage, type Mappings } from './map-page.ts';
import { previewing } from './preview.ts';

/** A page as the bank sent it, and whose it is. */
export type KeptPage = Readonly<{
  account: Account & Readonly<{ currency: string }>;
  /** The run's number in its connection, and the page's in the run. */
  run: number;
  page: number;
  connector: string;
  bankDay: string;
  parts: readonly Buffer[];
}>;

export type Remap = Books & Readonly<{ mappings: Mappings; by: ByOperator; causes: Causes }>;

/** `refused`: the present mapping cannot read it, so that its rows stay as they are. */
export type RemappedPage = Readonly<{ accountId: string; changes: readonly Booked[]; refused: boolean }>;

type Step = (task: MappedPage) => Promise<readonly Booked[] | 'closed'>;

const remapWith = async function* (
  { pool, store, mappings, causes }: Remap,
  pages: AsyncIterable<KeptPage>,
  step: Step,
): AsyncGenerator<RemappedPage> {
  const met = new Set<string>();
  for await (const { account, run, page: number, connector, bankDay, parts } of pages) {
    const { accountId, connectionId } = account;
    // A crash may have left events that the index does not know of yet.
    if (!met.has(accountId)) await unlessClosed(pool, connectionId, (tx) => catchUp(tx, store, account));
    met.add(accountId);
    const mapped = await mapPage(mappings[connector], parts, bankDay);
    if ('refusal' in mapped) {
      yield { accountId, changes: [], refused: true };
      continue;
    }
    const changes = await step({ account, place: placeOf(run, number), page: mapped.page, causes });
    if (changes === 'closed') return;
    yield { accountId, changes, refused: false };
  }
};

/**
 * What the present mapping would change in the books of a connection, page by page. `pages`: all that were kept of its
 * finished runs, those of a newer run before those of an older one.
 */
export const previewRemap = (remap: Remap, pages: AsyncIterable<KeptPage>): AsyncGenerator<RemappedPage> =>
  remapWith(
    remap,
    pages,
    previewing(remap.pool, (page, idsFor) => remapPage(page, remap.by, idsFor)),
  );

/** Appends it. Cut off and begun again, it appends what is left; a sync meanwhile goes on undisturbed. */
export const publishRemap = (remap: Remap, pages: AsyncIterable<KeptPage>): AsyncGenerator<RemappedPage> =>
  remapWith(remap, pages, (task) =>
    appendChanges(remap, task, {
      rules: (page, idsFor) => remapPage(page, remap.by, idsFor),
      record: () => Promise.resolve(),
    }),
  );
