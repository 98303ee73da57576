import {
  addClaims,
  claimsOf,
  isVisibleChange,
  paymentIn,
  type Covered,
  type IdentityChange,
  type KnownRow,
  type KnownStatus,
  type LedgerEvent,
  type Place,
  type StatedBalance,
} from '@causeway/domain/ledger';
import type { Revision } from '@causeway/event-sourcing';
import type { PoolClient } from '@causeway/postgres';
import type { Account } from './account.ts';

/**
 * An event of the account's stream, the run that it counts for, the page that led to it, and what it does to the index. Of
 * what no page led to the place is before every page: rows keep theirs.
 */
export type Folded = Readonly<{
  event: LedgerEvent;
  change: IdentityChange | undefined;
  runId: string | undefined;
  place: Place;
}>;

export type IndexWrite = Readonly<{
  account: Account;
  /** Where the index stands, and where the events lead. */
  from: Revision | undefined;
  to: Revision;
  /** What the index holds of the days that the events cover. */
  covered: readonly Covered[];
  folded: readonly Folded[];
}>;

/** The head row is the guard: who finds the index elsewhere than it was read writes nothing at all. */
const writeSql = `
WITH head AS (
  INSERT INTO ledger.identity_head AS h (account_id, connection_id, entity_id, organization, environment, revision)
  VALUES ($1, $2, $3, $4, $5, $7)
  ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision WHERE h.revision = $6::bigint
  RETURNING account_id, connection_id
), written AS (
  INSERT INTO ledger.identity AS i
  SELECT head.account_id, r.*
    FROM head, unnest($8::uuid[], $9::bigint[], $10::text[], $11::text[], $12::date[], $13::date[], $14::text[],
                      $15::text[], $16::text[], $17::text[]) r
  ON CONFLICT (account_id, transaction_id) DO UPDATE
    SET place = greatest(i.place, excluded.place), status = excluded.status, bank_id = excluded.bank_id, day = excluded.day,
        posted_date = excluded.posted_date, amount = excluded.amount, fingerprint = excluded.fingerprint,
        narrative = excluded.narrative, content = excluded.content,
        reverses = CASE WHEN excluded.status IN ('posted', 'pending') THEN i.reverses END
), other AS (
  UPDATE ledger.identity i SET status = coalesce(o.status, i.status), place = o.place,
         reverses = CASE WHEN o.status IS NULL THEN i.reverses END
    FROM head, unnest($18::uuid[], $19::text[], $20::bigint[]) o (transaction_id, status, place)
   WHERE i.account_id = head.account_id AND i.transaction_id = o.transaction_id
), stated AS (
  INSERT INTO ledger.reported_balance AS r
  SELECT head.account_id, b.* FROM head, unnest($21::date[], $22::text[], $23::bigint[]) b
  ON CONFLICT (account_id, date) DO UPDATE SET amount = excluded.amount, place = greatest(r.place, excluded.place)
), stated_again AS (
  UPDATE ledger.reported_balance r SET place = b.place
    FROM head, unnest($24::date[], $25::bigint[]) b (date, place)
   WHERE r.account_id = head.account_id AND r.date = b.date
), uncovered AS (
  DELETE FROM ledger.covered c USING head, unnest($26::text[], $27::date[]) u (status, from_day)
   WHERE c.account_id = head.account_id AND c.status = u.status AND c.from_day = u.from_day
), covered AS (
  INSERT INTO ledger.covered
  SELECT head.account_id, c.* FROM head, unnest($28::text[], $29::date[], $30::date[], $31::bigint[]) c
  ON CONFLICT (account_id, status, from_day) DO UPDATE SET to_day = excluded.to_day, place = excluded.place
), changes AS (
  INSERT INTO ledger.run AS r (run_id, connection_id, changes)
  SELECT c.run_id, head.connection_id, c.changes FROM head, unnest($32::uuid[], $33::bigint[]) c (run_id, changes)
  ON CONFLICT (run_id, connection_id) DO UPDATE SET changes = r.changes + excluded.changes
)
SELECT FROM head`;

/** Rare, and of rows that may have been written just before: a statement of its own. */
const countersSql = `
UPDATE ledger.identity i SET reverses = c.reverses
  FROM unnest($2::uuid[], $3::uuid[]) c (transaction_id, reverses)
 WHERE i.account_id = $1 AND i.transaction_id = c.transaction_id`;

/** An array as Postgres writes it, for elements that need no quotes: ids, dates, amounts, digests, plain words. */
const plainArray = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;

const column = <T>(rows: readonly T[], read: (row: T) => string | number | null): string => plainArray(rows.map(read));

type Other = Readonly<{ status: KnownStatus | null; place: Place }>;

/** The newest state of each row: a batch may hold several events of one transaction. */
const newest = (folded: readonly Folded[]) => {
  const rows = new Map<string, KnownRow>();
  const others = new Map<string, Other>();
  const change = (id: string, { status, place }: Other): void => {
    const row = rows.get(id);
    if (row !== undefined) rows.set(id, { ...row, status: status ?? row.status, place });
    else others.set(id, { status: status ?? others.get(id)?.status ?? null, place });
  };
  for (const { change: found } of folded) {
    if (found?.type === 'row') {
      const { transactionId: id, place } = found.row;
      const before = rows.get(id) ?? others.get(id);
      rows.set(id, before === undefined || before.place <= place ? found.row : { ...found.row, place: before.place });
      others.delete(id);
    } else if (found?.type === 'gone') change(found.transactionId, found);
    else if (found?.type === 'shown') {
      for (const id of found.transactionIds) change(id, { status: null, place: found.place });
    }
  }
  return { rows: [...rows.values()], others: [...others] };
};

const balancesIn = (folded: readonly Folded[]) => {
  const stated = new Map<string, StatedBalance>();
  const again = new Map<string, Place>();
  for (const { event, place } of folded) {
    if (event.type === 'BalanceReported' || event.type === 'BalanceRemapped') {
      const { date, amount } = event.data;
      const before = stated.get(date)?.place ?? again.get(date) ?? place;
      stated.set(date, { amount, place: before > place ? before : place });
      again.delete(date);
    } else if (event.type === 'PageBooked') {
      for (const date of event.data.balances) {
        const before = stated.get(date);
        if (before === undefined) again.set(date, place);
        else stated.set(date, { ...before, place });
      }
    }
  }
  return { stated: [...stated], again: [...again] };
};

/** What is covered otherwise than before, and what no longer begins where it did. */
const coverageIn = (before: readonly Covered[], folded: readonly Folded[]) => {
  const claims = folded.flatMap(({ event, place }) =>
    event.type === 'PageBooked' ? claimsOf(event.data.coverage, place) : [],
  );
  const after = addClaims(before, claims);
  const kept = new Set(before);
  const beginnings = new Set(after.map(({ status, from }) => status + from));
  return {
    put: after.filter((covered) => !kept.has(covered)),
    drop: before.filter(({ status, from }) => !beginnings.has(status + from)),
  };
};

const changesIn = (folded: readonly Folded[]) => {
  const changes = new Map<string, number>();
  for (const { event, runId } of folded) {
    if (runId !== undefined && isVisibleChange(event)) changes.set(runId, (changes.get(runId) ?? 0) + 1);
  }
  return [...changes];
};

const rowColumns = (folded: readonly Folded[]) => {
  const { rows, others } = newest(folded);
  return [
    column(rows, (row) => row.transactionId),
    column(rows, (row) => row.place),
    column(rows, (row) => row.status),
    rows.map((row) => row.bankId),
    column(rows, (row) => row.day),
    column(rows, (row) => row.postedDate),
    column(rows, (row) => row.amount),
    column(rows, (row) => row.print.fingerprint),
    column(rows, (row) => row.print.narrative),
    column(rows, (row) => row.print.content),
    column(others, ([id]) => id),
    column(others, ([, { status }]) => status),
    column(others, ([, { place }]) => place),
  ];
};

type Counter = Extract<IdentityChange, { type: 'counter' }>;

/** The counter-rows that there are in the end. */
const countersIn = (folded: readonly Folded[]): readonly Counter[] => {
  const counters = new Map<string, Counter>();
  for (const { change } of folded) {
    if (change?.type === 'counter') counters.set(change.transactionId, change);
    else if (change?.type === 'gone') counters.delete(change.transactionId);
  }
  return [...counters.values()];
};

const writeCounters = async (tx: PoolClient, accountId: string, counters: readonly Counter[]): Promise<void> => {
  if (counters.length === 0) return;
  const ids = column(counters, ({ transactionId }) => transactionId);
  const values = [accountId, ids, column(counters, ({ reverses }) => reverses)];
  await tx.query({ name: 'ledger.write-counters', text: countersSql, values });
};

const otherColumns = (before: readonly Covered[], folded: readonly Folded[]) => {
  const { stated, again } = balancesIn(folded);
  const { put, drop } = coverageIn(before, folded);
  const changes = changesIn(folded);
  return [
    column(stated, ([date]) => date),
    column(stated, ([, { amount }]) => amount),
    column(stated, ([, { place }]) => place),
    column(again, ([date]) => date),
    column(again, ([, place]) => place),
    column(drop, ({ status }) => status),
    column(drop, ({ from }) => from),
    column(put, ({ status }) => status),
    column(put, ({ from }) => from),
    column(put, ({ to }) => to),
    column(put, ({ place }) => place),
    column(changes, ([runId]) => runId),
    column(changes, ([, count]) => count),
  ];
};

/** Few rows are: the statement is not made for the others. */
const keepPayments = async (tx: PoolClient, { account, folded }: IndexWrite): Promise<void> => {
  const payments = folded.flatMap(({ event, runId }) => {
    const payment = paymentIn(event);
    return payment === undefined || runId === undefined ? [] : [{ runId, ...payment }];
  });
  if (payments.length === 0) return;
  const { accountId, connectionId } = account;
  await tx.query(
    `INSERT INTO ledger.run_payment (run_id, connection_id, account_id, transaction_id, reference)
     SELECT p."runId", $2, $3, p."transactionId", p.reference
       FROM jsonb_to_recordset($1) AS p ("runId" uuid, "transactionId" uuid, reference text)
     ON CONFLICT DO NOTHING`,
    [JSON.stringify(payments), connectionId, accountId],
  );
};

/** False: the index stands elsewhere by now. */
export const writeIndex = async (tx: PoolClient, write: IndexWrite): Promise<boolean> => {
  const { account, from, to, covered, folded } = write;
  const { accountId, connectionId, entityId, organization, environment } = account;
  const head = [accountId, connectionId, entityId, organization, environment, from ?? null, to];
  const values = [...head, ...rowColumns(folded), ...otherColumns(covered, folded)];
  const { rowCount } = await tx.query({ name: 'ledger.write-index', text: writeSql, values });
  if (rowCount !== 1) return false;
  await writeCounters(tx, accountId, countersIn(folded));
  await keepPayments(tx, write);
  return true;
};
