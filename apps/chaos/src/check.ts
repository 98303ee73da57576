import { add, compare } from '@causeway/money';
import { setTimeout as sleep } from 'node:timers/promises';
import { everyRow, type Json, type Truth } from './api.ts';
import { decideAll } from './clients/payer.ts';
import { drainBalances, drainFeed } from './clients/readers.ts';
import { narrowed, type World } from './world.ts';

const quietTimeoutMs = 120_000;

export type Quiet = Omit<World, 'over' | 'reached'>;

/** Asks until `done`, or says what it waited for in vain. */
const until = async (what: string, done: () => Promise<boolean>): Promise<void> => {
  for (const deadline = Date.now() + quietTimeoutMs; Date.now() < deadline; await sleep(150)) {
    if (await done()) return;
  }
  throw new Error(`${what}: not within ${quietTimeoutMs} ms`);
};

const connectionOf = async ({ api }: Quiet, id: string): Promise<Json | undefined> =>
  (await api.call(`/v1/connections/${id}`))?.body;

/** A sync that began after everything that has happened at the bank, and succeeded: a bank that is down is tried again. */
export const syncOnce = (world: Quiet, id: string): Promise<void> =>
  until(`a sync of ${id} succeeds`, async () => {
    const syncedAt = async () => (await connectionOf(world, id))?.['lastSyncedAt'];
    let before: unknown;
    await until(`a sync of ${id} is accepted`, async () => {
      before = await syncedAt();
      return (await world.api.call(`/v1/connections/${id}/sync`, { method: 'PUT' }))?.status === 202;
    });
    await until(`the sync of ${id} ends`, async () => (await connectionOf(world, id))?.['syncStatus'] === 'idle');
    return (await syncedAt()) !== before;
  });

/** What becomes of a transfer when the bank has come to an end with its payment. */
const outcomes: Readonly<Record<string, string>> = { executed: 'completed', declined: 'cancelled', failed: 'failed' };

const settleTransfers = (world: Quiet): Promise<void> =>
  until('every transfer has an outcome', async () => {
    await decideAll(world);
    const transfers = await everyRow(world.api, '/v1/transfers?limit=100');
    return transfers.every((transfer) => Object.values(outcomes).includes(String(transfer['status'])));
  });

/** A row that the bank has reversed stays in its books as posted. */
const lineOf = (row: Json): string =>
  [
    row['status'] === 'reversed' ? 'posted' : row['status'],
    row['postedDate'],
    Number(row['amount']) === 0 ? '0' : row['amount'],
    row['currency'],
    row['description'],
  ].join('|');

const differences = (what: string, ours: readonly string[], theirs: readonly string[]): string[] => {
  const left = new Map<string, number>();
  theirs.forEach((line) => left.set(line, (left.get(line) ?? 0) + 1));
  const extra = ours.filter((line) => {
    const known = left.get(line) ?? 0;
    left.set(line, known - 1);
    return known <= 0;
  });
  const missing = [...left].filter(([, times]) => times > 0).map(([line]) => line);
  return [
    ...extra.slice(0, 3).map((line) => `${what}: not at the bank: ${line}`),
    ...missing.slice(0, 3).map((line) => `${what}: missing: ${line}`),
  ];
};

/** Rows of one connection against the bank's own record. A cancelled row is our memory of one that vanished. */
const checkRows = (rows: readonly Json[], numberOf: ReadonlyMap<string, string>, truth: Truth): string[] => {
  const shown = rows.filter((row) => row['status'] !== 'cancelled');
  const ours = shown.map((row) => `${numberOf.get(String(row['accountId']))}|${lineOf(row)}`);
  const theirs = truth.transactions.map((row) => `${row.accountNumber}|${lineOf(row)}`);
  return differences('transactions', ours, theirs);
};

/** Each day's delta is the sum of its posted rows; each closing balance that the bank states is shown as the bank's. */
const checkBalances = (
  balances: readonly Json[],
  rows: readonly Json[],
  numberOf: ReadonlyMap<string, string>,
  truth: Truth,
) => {
  const deltas = new Map<string, string>();
  for (const row of rows.filter(({ status }) => status === 'posted' || status === 'reversed')) {
    const day = `${String(row['accountId'])} ${String(row['postedDate'])}`;
    deltas.set(day, add(deltas.get(day) ?? '0', String(row['amount'])));
  }
  const wrong = balances
    .filter((row) => {
      const day = `${String(row['accountId'])} ${String(row['date'])}`;
      return compare(deltas.get(day) ?? '0', String(row['postedTransactionDelta'])) !== 0;
    })
    .map((row) => `balance of ${String(row['date'])}: its delta is not the sum of its rows`);
  const shown = new Map(
    balances.map((row) => [`${numberOf.get(String(row['accountId']))} ${String(row['date'])}`, row]),
  );
  const unlike = truth.closingBalances
    .filter(({ accountNumber, date, amount }) => {
      const row = shown.get(`${accountNumber} ${date}`);
      return (
        row === undefined || row['source'] !== 'bankProvided' || compare(String(row['ledgerBalance']), amount) !== 0
      );
    })
    .map(({ date }) => `balance of ${date}: not the closing balance that the bank states`);
  return [...wrong.slice(0, 3), ...unlike.slice(0, 3)];
};

export const checkConnection = async ({ api, bank }: Quiet, id: string): Promise<string[]> => {
  const [accounts, rows, balances, truth] = await Promise.all([
    everyRow(api, `/v1/accounts?connectionId=${id}`),
    everyRow(api, `/v1/transactions?connectionId=${id}&limit=500`),
    everyRow(api, `/v1/balances?connectionId=${id}&limit=500`),
    bank.truth(id),
  ]);
  const numberOf = new Map(accounts.map((account) => [String(account['id']), String(account['accountNumber'])]));
  return [...checkRows(rows, numberOf, truth), ...checkBalances(balances, rows, numberOf, truth)];
};

/** One payment at the bank per transfer, none without one; each has come to what the bank says. */
const checkPayments = async ({ api, bank, told }: Quiet): Promise<string[]> => {
  const transfers = new Map((await everyRow(api, '/v1/transfers?limit=100')).map((row) => [String(row['id']), row]));
  const payments = (await Promise.all([...told.connections].map((id) => bank.truth(id)))).flatMap(
    (truth) => truth.payments,
  );
  const times = new Map<string, number>();
  payments.forEach(({ reference }) => times.set(reference, (times.get(reference) ?? 0) + 1));
  const wrong = payments.flatMap(({ reference, status }) => {
    const ours = transfers.get(reference)?.['status'];
    return ours === outcomes[status] ? [] : `transfer ${reference} is ${String(ours)}, its payment ${status}`;
  });
  const unpaid = [...transfers.values()].filter(({ status }) => status === 'completed');
  return [
    ...[...told.transfers.values()]
      .filter(({ id }) => !transfers.has(id))
      .map(({ id }) => `transfer ${id} was acknowledged and is lost`),
    ...[...times].filter(([, paid]) => paid > 1).map(([id, paid]) => `transfer ${id} was paid ${paid} times`),
    ...[...times.keys()].filter((id) => !transfers.has(id)).map((id) => `the bank has a payment ${id} of no transfer`),
    ...wrong,
    ...unpaid
      .filter(({ id }) => !times.has(String(id)))
      .map(({ id }) => `transfer ${String(id)} is completed and the bank knows no payment`),
  ];
};

/** What the clients of feed and balances hold is what the lists show. */
export const checkReplicas = async ({ api, told }: Quiet): Promise<string[]> => {
  const rows = await everyRow(api, `/v1/transactions?limit=500${narrowed({ told })}`);
  const text = (row: Json): string => JSON.stringify(row);
  const balances = await everyRow(api, `/v1/balances?limit=500${narrowed({ told })}`);
  const listed = new Set(balances.map((row) => `${String(row['accountId'])} ${String(row['date'])}`));
  const held = [...told.balances].filter(([key]) => listed.has(key)).map(([, row]) => text(row));
  return [
    ...differences('the feed', [...told.replica.values()].map(text), rows.map(text)),
    ...differences('balances by updatedAtGte', held, balances.map(text)),
  ];
};

const checkTold = async ({ api, told }: Quiet): Promise<string[]> => {
  const missing: string[] = [];
  for (const [id, externalEntityId] of told.entities) {
    const answer = await api.call(`/v1/entities/${id}`);
    if (answer?.body['externalEntityId'] !== externalEntityId)
      missing.push(`entity ${id} was acknowledged and is lost`);
  }
  for (const id of told.connections) {
    if ((await api.call(`/v1/connections/${id}`))?.status !== 200)
      missing.push(`connection ${id} was acknowledged and is lost`);
  }
  for (const id of told.erased) {
    if ((await api.call(`/v1/connections/${id}`))?.status !== 404)
      missing.push(`connection ${id} was erased and is back`);
    for (const list of ['accounts', 'transactions', 'balances']) {
      const answer = await api.call(`/v1/${list}?connectionId=${id}`);
      if (answer?.status !== 200 || (answer.body['data'] as unknown[]).length > 0)
        missing.push(
          `${list} of the erased connection ${id}: ${answer?.status} ${JSON.stringify(answer?.body['data'])}`,
        );
    }
    const rows = [...told.replica.values()].filter(({ connectionId }) => connectionId === id);
    if (rows.length > 0) missing.push(`the feed never removed ${rows.length} rows of the erased connection ${id}`);
  }
  return missing;
};

/** Everything that clients and the bank were told against what is there, once all is quiet. */
export const check = async (world: Quiet): Promise<string[]> => {
  const { told } = world;
  for (const id of told.doubtful) {
    const answer = await world.api.insist(
      `/v1/connections/${id}`,
      { method: 'DELETE' },
      AbortSignal.timeout(quietTimeoutMs),
    );
    if (answer === undefined) throw new Error(`deleting ${id} is never answered`);
    told.doubtful.delete(id);
    told.erased.add(id);
  }
  await settleTransfers(world);
  for (const id of told.connections) await syncOnce(world, id);
  await until('the erased rows are removed from the feed', async () => {
    await drainFeed(world, '');
    return ![...told.replica.values()].some((row) => told.erased.has(String(row['connectionId'])));
  });
  await until('webhooks tell of every connection', async () =>
    [...told.connections].every((id) => told.syncsHeard.has(id)),
  );
  if (!(await drainBalances(world))) throw new Error('the balances cannot be read');
  const rows = (await Promise.all([...told.connections].map((id) => checkConnection(world, id)))).flat();
  const rest = await Promise.all([checkPayments(world), checkReplicas(world), checkTold(world)]);
  return [...told.broken.splice(0), ...rows, ...rest.flat()];
};
