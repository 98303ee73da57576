import {
  addClaims,
  claimsOf,
  type Booked,
  type Covered,
  type KnownRow,
  type Place,
  type StatedBalance,
  type StatementPage,
} from '@causeway/domain/ledger';
import { inTransaction, type Pool } from '@causeway/postgres';
import type { MappedPage } from './books.ts';
import { decide, readBooks, sightOf, type Read, type Rules, type Sight } from './decide.ts';

/** What an account's index would hold otherwise, had the pages been booked that were looked at. Grows with what is different. */
type Overlay = {
  readonly rows: Map<string, KnownRow>;
  /** Those among them that a query by days, ids or status does not find, or finds by what they were. */
  readonly moved: Map<string, KnownRow>;
  readonly balances: Map<string, StatedBalance>;
  covered: readonly Covered[];
};

const emptyOverlay = (): Overlay => ({ rows: new Map(), moved: new Map(), balances: new Map(), covered: [] });

/** As `readKnown` finds rows. */
const namedBy = ({ coverage: { posted }, rows }: StatementPage): ((row: KnownRow) => boolean) => {
  const days = new Set(rows.map(({ day }) => day));
  const bankIds = new Set(rows.flatMap(({ bankId, reversalOf = null }) => [bankId, reversalOf]));
  return ({ status, day, bankId }) =>
    status === 'pending' ||
    days.has(day) ||
    (posted !== null && day >= posted.from && day <= posted.to) ||
    (bankId !== null && bankIds.has(bankId));
};

const overlaid = (read: Read, { rows, moved, balances, covered }: Overlay, page: StatementPage, sight: Sight): Read => {
  const known = new Map(read.known.map((row) => [row.transactionId, rows.get(row.transactionId) ?? row]));
  const isNamed = namedBy(page);
  for (const row of moved.values()) if (isNamed(row)) known.set(row.transactionId, row);
  return {
    ...read,
    known: [...known.values()],
    covered: addClaims(read.covered, covered),
    balances: new Map([...read.balances, ...balances]),
    taken: new Set([...read.taken, ...sight.firstIds.filter((id) => rows.has(id))]),
  };
};

const laterOf = (a: Place, b: Place): Place => (a > b ? a : b);

/** What writing the index would do. */
const fold = (overlay: Overlay, read: Read, place: Place, booked: readonly Booked[]): void => {
  const known = new Map(read.known.map((row) => [row.transactionId, row]));
  const rowNow = (id: string): KnownRow | undefined => overlay.rows.get(id) ?? known.get(id);
  const put = (row: KnownRow): void => {
    const { transactionId: id } = row;
    const was = known.get(id);
    overlay.rows.set(id, row);
    const isFound = was?.day === row.day && was.bankId === row.bankId && was.status === row.status;
    if (!isFound || overlay.moved.has(id)) overlay.moved.set(id, row);
  };
  const change = (id: string, to: Partial<KnownRow>): void => {
    const row = rowNow(id);
    if (row !== undefined) put({ ...row, ...to });
  };
  for (const { event, change: found } of booked) {
    if (found?.type === 'row') {
      const { place: before = place, reverses = null } = rowNow(found.row.transactionId) ?? {};
      put({ ...found.row, reverses, place: laterOf(before, place) });
    } else if (found?.type === 'gone') change(found.transactionId, { status: found.status, place, reverses: null });
    else if (found?.type === 'counter') change(found.transactionId, { reverses: found.reverses });
    else if (found?.type === 'shown') for (const id of found.transactionIds) change(id, { place });
    if (event.type === 'BalanceRemapped') overlay.balances.set(event.data.date, { amount: event.data.amount, place });
    if (event.type === 'PageBooked') {
      overlay.covered = addClaims(overlay.covered, claimsOf(event.data.coverage, place));
      for (const date of event.data.balances) {
        const stated = overlay.balances.get(date) ?? read.balances.get(date);
        if (stated !== undefined) overlay.balances.set(date, { ...stated, place });
      }
    }
  }
};

/**
 * What pages would change, one after the other, if they were booked: nothing is appended and nothing written, but each
 * page meets what those before it would have left. `closed`: the connection was deleted.
 */
export const previewing = (pool: Pool, rules: Rules): ((task: MappedPage) => Promise<readonly Booked[] | 'closed'>) => {
  const overlays = new Map<string, Overlay>();
  return async (task) => {
    const { accountId } = task.account;
    const overlay = overlays.get(accountId) ?? emptyOverlay();
    overlays.set(accountId, overlay);
    const sight = await sightOf(task);
    return inTransaction(pool, async (tx) => {
      const found = await readBooks(tx, task, sight);
      if (found.closed) return 'closed';
      const read = overlaid(found, overlay, task.page, sight);
      const booked = await decide(tx, task, { sight, read, rules });
      fold(overlay, read, task.place, booked);
      return booked;
    });
  };
};
