import { transactionContent, type LedgerEvent, type TransactionContent } from '@causeway/domain/ledger';

export const connections = ['0c000000-0000-4000-8000-000000000001', '0c000000-0000-4000-8000-000000000002'];
export const entityId = '0e000000-0000-4000-8000-000000000000';

/** Small, seeded, and good enough to mix events. */
export const diceOf = (seed: number) => {
  let state = seed >>> 0;
  return (sides: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
};

export const uuidOf = (prefix: string, n: number): string =>
  `${prefix}000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const dayOf = (n: number): string => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10);

const contentOf = (amount: string, postedDate: string | null, description: string): TransactionContent =>
  transactionContent({
    postedDate,
    amount,
    currency: 'USD',
    description,
    rail: 'ach',
    rawDescription: `raw\t${description}\\n\n"\r\0`,
    bankReference: '',
    baiCode: '142',
    merchantName: '\\N',
    counterpartyName: 'Ünal & Söhne 🏦',
    counterpartyAccountEnd: '12',
  });

type Known = {
  id: string;
  status: 'pending' | 'posted' | 'cancelled' | 'withdrawn';
  isReversed?: boolean;
  content: TransactionContent;
};

/** A history of two accounts of each of two connections: everything that can happen to a row, in a random order. */
export const history = (seed: number, length: number): readonly { account: number; events: LedgerEvent[] }[] => {
  const dice = diceOf(seed);
  const rows: Known[][] = [[], [], [], []];
  const owner = (account: number) => ({ entityId, connectionId: connections[account >> 1] as string });
  const identified = (transactionId: string) => ({
    transactionId,
    bankId: null,
    day: dayOf(0),
    valueDate: null,
    typeCode: null,
  });
  const amount = (): string =>
    ['1.10', '-2.5', '0.00', '100', '0.000000000000000001', '-12345678901234567890.12'][dice(6)] ?? '1';
  let made = 0;

  const change = (account: number, row: Known): LedgerEvent => {
    const previous = {
      status: row.status === 'withdrawn' ? ('posted' as const) : row.status,
      postedDate: row.content.postedDate,
      amount: row.content.amount,
    };
    const posted = contentOf(amount(), dayOf(dice(30)), `change ${made++}`);
    const seen = { ...identified(row.id), content: posted };
    switch (row.status) {
      case 'withdrawn':
        Object.assign(row, { status: 'posted', content: posted });
        return { type: 'TransactionReinstated', data: { ...owner(account), ...seen, status: 'posted' } };
      case 'pending':
        if (dice(3) === 0) {
          row.status = 'cancelled';
          return { type: 'TransactionCancelled', data: { transactionId: row.id } };
        }
        Object.assign(row, { status: 'posted', content: posted });
        return { type: 'TransactionPosted', data: { ...seen, previous } };
      case 'cancelled':
        Object.assign(row, { status: 'posted', content: posted });
        return { type: 'TransactionPosted', data: { ...seen, previous } };
      case 'posted':
        if (dice(3) === 0) {
          Object.assign(row, { status: 'withdrawn', isReversed: false });
          return { type: 'TransactionWithdrawn', data: { transactionId: row.id, previous } };
        }
        if (dice(4) === 0) {
          const data = { transactionId: row.id };
          row.isReversed = row.isReversed !== true;
          if (row.isReversed) return { type: 'TransactionReversed', data: { ...data, counterId: uuidOf('0f', made) } };
          return { type: 'TransactionReversalWithdrawn', data };
        }
        if (dice(3) === 0) return { type: 'TransactionRelabelled', data: { ...seen, content: row.content } };
        row.content = posted;
        return { type: 'TransactionRestated', data: { ...seen, status: 'posted', previous } };
    }
  };

  const next = (account: number): LedgerEvent => {
    const known = rows[account] as Known[];
    const kind = dice(10);
    if (kind === 0) {
      const data = { ...owner(account), currency: 'USD', date: dayOf(dice(30)), amount: amount() };
      return { type: 'BalanceReported', data };
    }
    if (kind < 5 && known.length > 0) return change(account, known[dice(known.length)] as Known);
    const status = dice(4) === 0 ? 'pending' : 'posted';
    const content = contentOf(amount(), status === 'pending' ? null : dayOf(dice(30)), `row ${made}`);
    const row: Known = { id: uuidOf('0f', made++), status, content };
    known.push(row);
    return { type: 'TransactionRecorded', data: { ...owner(account), ...identified(row.id), status, content } };
  };

  const opened = [0, 1, 2, 3].map((account) => {
    const data = { ...owner(account), accountId: uuidOf('0a', account), currency: 'USD' };
    const events: LedgerEvent[] = [{ type: 'LedgerOpened', data }];
    return { account, events };
  });
  const changes = Array.from({ length }, () => {
    const account = dice(4);
    return { account, events: Array.from({ length: 1 + dice(5) }, () => next(account)) };
  });
  return [...opened, ...changes];
};
