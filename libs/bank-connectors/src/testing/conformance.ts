import { rails, wholePage, type StatementPage, type StatementRow } from '@causeway/domain/ledger';
import {
  BankFault,
  partBytesMax,
  partRowsMax,
  type BankAccess,
  type Connector,
  type Fetched,
  type PaymentOrder,
  type RawPage,
} from '../connector.ts';

/** A bank with something to fetch, and a connector to it. */
export type BankUnderTest = Readonly<{
  connector: Connector;
  access: BankAccess;
  /** Where no bank is; absent for a connector that calls nobody. */
  nowhere?: BankAccess;
  /** An order that the bank can execute; absent for a connector that pays nothing. */
  order?: (reference: string) => Promise<PaymentOrder>;
  close: () => Promise<void>;
}>;

const decimal = /^-?\d+(\.\d+)?$/;
const date = /^\d{4}-\d\d-\d\d$/;
const never = new AbortController().signal;

const fetchAll = async ({ connector, access }: BankUnderTest): Promise<Fetched[]> => {
  const all: Fetched[] = [];
  for await (const one of connector.open(access).fetch(never)) all.push(one);
  return all;
};

/** Texts compare at once, buffers byte by byte. */
const asText = (fetched: readonly Fetched[]): object[] =>
  fetched.map((one) =>
    one.type === 'page' ? { ...one.page, parts: one.page.parts.map((part) => part.toString('latin1')) } : one.account,
  );

const pagesIn = (fetched: readonly Fetched[]): RawPage[] =>
  fetched.flatMap((one) => (one.type === 'page' ? [one.page] : []));

const mapped = (bank: BankUnderTest, page: RawPage): StatementPage =>
  wholePage(page.parts.map((part) => bank.connector.map(part)));

const expectRow = (row: StatementRow): void => {
  const { content } = row;
  expect(content.amount).toMatch(decimal);
  expect(row.day).toMatch(date);
  expect(rails).toContain(content.rail);
  expect(content.postedDate).toBe(row.status === 'posted' ? row.day : null);
  expect(row.bankId).not.toBe('');
  expect(content.counterpartyAccountEnd ?? '1234').toMatch(/^.{1,4}$/);
};

const fetching = (bank: () => BankUnderTest): void => {
  it('shows accounts under keys of their own, each before its pages', async () => {
    const seen = new Set<string>();
    const fetched = await fetchAll(bank());
    for (const one of fetched) {
      if (one.type === 'page') expect(seen).toContain(one.page.accountKey);
      else expect(seen).not.toContain(one.account.key);
      if (one.type === 'account') seen.add(one.account.key);
    }
    expect(seen.size).toBeGreaterThan(0);
    expect(pagesIn(fetched).length).toBeGreaterThan(0);
  });

  it('shows an unchanged bank in the same bytes', async () => {
    expect(asText(await fetchAll(bank()))).toEqual(asText(await fetchAll(bank())));
  });

  it('keeps the days of an account’s pages apart', async () => {
    const days = new Map<string, string>();
    for (const { accountKey, range } of pagesIn(await fetchAll(bank()))) {
      if ('name' in range) continue;
      expect(range.from <= range.to).toBe(true);
      expect(range.from > (days.get(accountKey) ?? '')).toBe(true);
      days.set(accountKey, range.to);
    }
  });

  it('sends parts that fit, each readable on its own, which together are the page', async () => {
    for (const page of pagesIn(await fetchAll(bank()))) {
      const parts = page.parts.map((part) => {
        expect(part.length).toBeLessThanOrEqual(partBytesMax);
        return bank().connector.map(part);
      });
      for (const { rows } of parts) expect(rows.length).toBeLessThanOrEqual(partRowsMax);
      expect(parts.flatMap(({ rows }) => rows)).toEqual(mapped(bank(), page).rows);
    }
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const fetched = bank().connector.open(bank().access).fetch(stop.signal)[Symbol.asyncIterator]();
    await fetched.next();
    stop.abort(new Error('stopped by the test'));
    const drain = async (): Promise<void> => {
      while ((await fetched.next()).done !== true);
    };
    await expect(drain()).rejects.toThrow('stopped by the test');
  });
};

const mapping = (bank: () => BankUnderTest): void => {
  it('maps a page the same way every time', async () => {
    for (const page of pagesIn(await fetchAll(bank()))) expect(mapped(bank(), page)).toEqual(mapped(bank(), page));
  });

  it('gives rows that the ledger can take', async () => {
    const rows = pagesIn(await fetchAll(bank())).flatMap((page) => mapped(bank(), page).rows);
    expect(rows.length).toBeGreaterThan(0);
    rows.forEach(expectRow);
  });

  it('shows posted rows and closing balances of the days it claims to cover only', async () => {
    for (const page of pagesIn(await fetchAll(bank()))) {
      const { coverage, rows, closingBalances } = mapped(bank(), page);
      if ('from' in page.range) expect(coverage.posted).toEqual(page.range);
      const { from, to } = coverage.posted ?? { from: '0000-00-00', to: '9999-99-99' };
      const days = [...rows.filter(({ status }) => status === 'posted'), ...closingBalances].map((one) =>
        'day' in one ? one.day : one.date,
      );
      expect(days.filter((day) => day < from || day > to)).toEqual([]);
    }
  });

  it.each(['', 'not what the bank writes', '{}', '[]'])('refuses to read %j', (text) => {
    const read = (): string => {
      try {
        return JSON.stringify(bank().connector.map(Buffer.from(text)));
      } catch (fault) {
        return fault instanceof BankFault ? fault.kind : String(fault);
      }
    };
    expect(read()).toBe('bad_answer');
  });
};

const repeating = (bank: () => BankUnderTest): void => {
  it('may be prepared, asked for a login and settled as often as one likes', async () => {
    const { connector, access } = bank();
    await connector.prepare(access);
    await connector.prepare(access);
    await connector.login(access, never);
    await connector.login(access, never);
    const lent = connector.open(access).lent();
    await connector.settle(access, lent);
    await expect(connector.settle(access, lent)).resolves.toBeUndefined();
  });

  it('says that a bank that is not there is unavailable', async () => {
    const { connector, nowhere } = bank();
    if (nowhere === undefined) return expect(connector.payments).toBeUndefined();
    await expect(connector.login(nowhere, never)).rejects.toMatchObject({ kind: 'unavailable' });
    const first = connector.open(nowhere).fetch(never)[Symbol.asyncIterator]().next();
    return expect(first).rejects.toMatchObject({ kind: 'unavailable' });
  });
};

const paying = (bank: () => BankUnderTest): void => {
  it('has no outcome for a payment that was never sent', async () => {
    const { connector, access } = bank();
    if (connector.payments === undefined) return expect(bank().order).toBeUndefined();
    return expect(connector.payments.stateOf(access, 'never-sent', never)).resolves.toEqual({ status: 'unknown' });
  });

  it('pays once for a reference, however often it is sent', async () => {
    const { connector, access, order } = bank();
    if (connector.payments === undefined || order === undefined) return expect(connector.payments).toBe(order);
    const { payments } = connector;
    const same = await order('conformance-1');
    const states = await Promise.all(Array.from({ length: 5 }, () => payments.pay(access, same, never)));
    const [first] = states;
    expect(first?.status).toBe('executed');
    expect(states.every((state) => JSON.stringify(state) === JSON.stringify(first))).toBe(true);
    return expect(payments.stateOf(access, same.reference, never)).resolves.toEqual(first);
  });
};

/** What a connector must keep to, asked of the real bank. `start` gives a bank in the same state every time. */
export const connectorConformance = (name: string, start: () => Promise<BankUnderTest>): void => {
  describe(`${name} keeps to what every connector promises`, () => {
    let started: BankUnderTest | undefined;
    const bank = (): BankUnderTest => {
      if (started === undefined) throw new Error('the bank was not started');
      return started;
    };
    beforeAll(async () => {
      started = await start();
      await started.connector.prepare(started.access);
    });
    afterAll(async () => started?.close());

    describe('fetching', () => fetching(bank));
    describe('mapping', () => mapping(bank));
    describe('paying', () => paying(bank));
    describe('repeating', () => repeating(bank));
  });
};
