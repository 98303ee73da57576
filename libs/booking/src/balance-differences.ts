import { balanceFactsOf, foldBalances, type DailyBalance, type LedgerEvent } from '@causeway/domain/ledger';
import { compare } from '@causeway/money';
import type { Pool } from '@causeway/postgres';
import { tableOf, type Difference } from '@causeway/projections';

/** Every day of the account, those included that nobody is shown for want of a stated balance. */
const daysOf = async (pool: Pool, accountId: string): Promise<readonly DailyBalance[]> => {
  const { rows: live } = await pool.query<{ version: number; generation: number }>(
    `SELECT version, generation FROM ledger.projection WHERE name = 'balances' AND live`,
  );
  if (live[0] === undefined) return [];
  const { rows } = await pool.query<DailyBalance>(
    `SELECT date, ledger_balance AS balance, posted_transaction_delta AS delta, source = 'bankProvided' AS stated,
            NULL AS "changedAt"
       FROM ${tableOf('ledger', live[0])('balances')} WHERE account_id = $1 ORDER BY date`,
    [accountId],
  );
  return rows;
};

const spanOf = (days: readonly DailyBalance[]) => {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { first: first.date, last: last.date, anchor: days.find(({ stated }) => stated)?.date ?? null };
};

type Shown = Readonly<{ ledgerBalance: string; postedTransactionDelta: string; source: string }>;

const shown = (day: DailyBalance | undefined): Shown | null => {
  if (day === undefined || day.balance === null) return null;
  const source = day.stated ? 'bankProvided' : 'derived';
  return { ledgerBalance: day.balance, postedTransactionDelta: day.delta, source };
};

const fieldsOf = (before: Shown | null, after: Shown): Difference['fields'] => {
  const fields: Record<string, readonly [unknown, unknown]> = {};
  for (const name of ['ledgerBalance', 'postedTransactionDelta'] as const) {
    if (before === null || compare(before[name], after[name]) !== 0)
      fields[name] = [before?.[name] ?? null, after[name]];
  }
  if (before?.source !== after.source) fields['source'] = [before?.source ?? null, after.source];
  return fields;
};

const nobody = { reason: null, operator: null };

/** What the events would change of the account's daily balances. */
export const balanceDifferences = async (
  pool: Pool,
  accountId: string,
  events: readonly LedgerEvent[],
): Promise<readonly Difference[]> => {
  const changes = events
    .map((event) => ({ ...nobody, at: '', eventId: '', place: null, facts: balanceFactsOf(event) }))
    .filter(({ facts }) => facts.length > 0);
  if (changes.length === 0) return [];
  const days = await daysOf(pool, accountId);
  const known = new Map(days.map((day) => [day.date, day]));
  const folded = foldBalances({ span: spanOf(days), days }, changes);
  return folded.days.flatMap((day) => {
    const [before, after] = [shown(known.get(day.date)), shown(day)];
    if (after === null) return [];
    const fields = fieldsOf(before, after);
    if (Object.keys(fields).length === 0) return [];
    return [{ id: `${accountId}/${day.date}`, change: before === null ? 'added' : 'changed', fields } as const];
  });
};
