import { describeWithPostgres } from '@causeway/testing';
import { startGateway, type GatewayUnderTest } from '../../testing/gateway-under-test.ts';
import { insert } from '../../testing/tables.ts';

const uuid = (kind: number, n: number): string => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** Pairs share a millisecond, so that the id has to break ties. */
const at = (n: number): string => `2026-01-01T00:00:00.${String(n >> 1).padStart(3, '0')}Z`;
const numbers = Array.from({ length: 11 }, (_, n) => n + 1);
const owner = { organization: 'demo', environment: 'test' };

const entity = (n: number): object => ({
  ...{ organization: 'demo', entityId: uuid(1, n), externalEntityId: `e${n}`, isDefaultOrgEntity: false, name: null },
  ...{ contactEmails: [], metadata: { nested: { none: null } }, createdAt: at(n), updatedAt: at(n) },
});
const connection = (n: number): object => ({
  ...owner,
  ...{ id: uuid(2, n), entityId: uuid(1, n % 2), kind: n % 3 === 0 ? 'setup' : 'ready', syncStatus: 'idle' },
  ...{ status: n % 3 === 0 ? 'draft' : 'active', institutionId: `bank-${n % 2}`, createdAt: at(n), updatedAt: at(n) },
  setup: {
    ...{ status: 'awaitingDelegatedUserCreation', instructions: null, credentialsPresent: false },
    ...{ actionRequiredBy: 'endUser', nextAction: 'createDelegatedUser' },
  },
});
const account = (n: number): object => ({
  ...owner,
  ...{ id: uuid(3, n), entityId: uuid(1, n % 2), connectionId: uuid(2, n % 2), type: n % 2 ? 'checking' : 'savings' },
  ...{ currency: n % 3 ? 'USD' : 'EUR', name: `account ${n}`, status: 'open', currentBalance: '12345678901234567.890' },
  ...{ maskedNumber: '••••1234', accountNumber: n === 3 ? 'DE02120300000000202051' : '0012345678' },
  ...{ routingNumber: n === 2 ? null : '999999992', swiftBic: 'BYLADEM1001', createdAt: at(n), updatedAt: at(n) },
});
const transfer = (n: number): object => ({
  ...owner,
  ...{ id: uuid(4, n), status: n % 2 ? 'completed' : 'failed', transferType: 'internal' },
  ...{ requestedValue: '1.50', executedValue: n % 2 ? '1.50' : null, currency: 'USD', connectionId: uuid(2, 1) },
  ...{ sourceAccountId: uuid(3, n), destinationAccountId: uuid(3, n + 1), memo: '€'.repeat(200) },
  ...{ failureCode: n % 2 ? null : 'insufficient_funds', failureMessage: n % 2 ? null : 'too little' },
  ...{ createdAt: at(n), updatedAt: at(n), completedAt: at(n) },
});
const webhook = (n: number): object => ({
  ...owner,
  ...{ id: uuid(5, n), url: 'https://example.com', events: ['test'], secretHint: 'abcd', active: true },
  ...{ createdAt: at(n), updatedAt: at(n) },
});
const balance = (n: number): object => ({
  ...owner,
  ...{ accountId: uuid(3, n % 3), connectionId: uuid(2, n % 2), entityId: uuid(1, n % 2), currency: 'USD' },
  ...{ date: `2026-01-${String(1 + Math.floor(n / 3)).padStart(2, '0')}`, ledgerBalance: `${n}.10` },
  ...{
    postedTransactionDelta: '-0.5',
    source: 'derived',
    updatedAt: `2026-02-01T00:00:00.${String(n).padStart(6, '0')}Z`,
  },
});

type Row = Readonly<Record<string, unknown>>;

describeWithPostgres('the lists', () => {
  let gateway: GatewayUnderTest;

  beforeAll(async () => {
    gateway = await startGateway({ topics: [], commands: new Map() });
    await insert(gateway.pool, 'entities', numbers.map(entity));
    await insert(gateway.pool, 'connections', numbers.map(connection));
    await insert(gateway.pool, 'accounts', numbers.map(account));
    await insert(gateway.pool, 'transfers', numbers.map(transfer));
    await insert(gateway.pool, 'webhooks', numbers.map(webhook));
    await insert(gateway.pool, 'balances', numbers.map(balance));
  });
  afterAll(() => gateway.close());

  const walk = async (path: string, limit: number): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await gateway.send(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`,
      );
      expect(status).toBe(200);
      rows.push(...(body['data'] as Row[]));
      const { hasMore, nextCursor } = body['pagination'] as { hasMore: boolean; nextCursor: string | null };
      expect(hasMore).toBe(nextCursor !== null);
      if (nextCursor === null) return rows;
      cursor = `&cursor=${nextCursor}`;
    }
  };
  const descending = numbers.toReversed();

  test.each([
    ['/v1/entities', 'entityId', [...descending.map((n) => uuid(1, n)), uuid(0, 1)]],
    ['/v1/entities?externalEntityId=e7', 'entityId', [uuid(1, 7)]],
    ['/v1/connections', 'id', descending.map((n) => uuid(2, n))],
    ['/v1/connections?status=draft', 'id', [9, 6, 3].map((n) => uuid(2, n))],
    ['/v1/connections?institutionId=bank-1&status=active', 'id', [11, 7, 5, 1].map((n) => uuid(2, n))],
    [`/v1/connections?entityId=${uuid(1, 0)}`, 'id', [10, 8, 6, 4, 2].map((n) => uuid(2, n))],
    ['/v1/accounts', 'id', numbers.map((n) => uuid(3, n))],
    ['/v1/accounts?type=savings&currency=USD', 'id', [2, 4, 8, 10].map((n) => uuid(3, n))],
    [
      `/v1/accounts?connectionId=${uuid(2, 0)}&entityId=${uuid(1, 0)}&status=open`,
      'id',
      [2, 4, 6, 8, 10].map((n) => uuid(3, n)),
    ],
    ['/v1/accounts?status=closed', 'id', []],
    ['/v1/transfers', 'id', descending.map((n) => uuid(4, n))],
    [`/v1/transfers?accountId=${uuid(3, 5)}`, 'id', [5, 4].map((n) => uuid(4, n))],
    [`/v1/transfers?createdAtGte=${at(4)}&createdAtLt=${at(8)}&status=failed`, 'id', [6, 4].map((n) => uuid(4, n))],
    ['/v1/webhooks', 'id', descending.map((n) => uuid(5, n))],
  ])('%s: %s in order, whatever the page', async (path, id, expected) => {
    // The default entity's id is outside the numbering of the others.
    const named = expected.map((one) => (one === uuid(0, 1) ? '00000000-0000-4000-8000-000000000001' : one));
    for (const limit of [1, 3, 100]) expect((await walk(path, limit)).map((row) => row[id])).toEqual(named);
  });

  test('balances: newest date first and accounts ascending; by updatedAt once that is asked for', async () => {
    const keyOf = ({ date, accountId }: Row) => `${String(date)} ${String(accountId)}`;
    for (const limit of [1, 2, 500]) {
      const rows = await walk('/v1/balances', limit);
      expect(new Set(rows.map(keyOf)).size).toBe(numbers.length);
      const sorted = rows.toSorted((a, b) =>
        a['date'] === b['date'] ? (keyOf(a) < keyOf(b) ? -1 : 1) : String(a['date']) < String(b['date']) ? 1 : -1,
      );
      expect(rows).toEqual(sorted);
      const polled = await walk('/v1/balances?updatedAtGte=2026-02-01T00:00:00.000004Z', limit);
      expect(polled.map((row) => row['ledgerBalance'])).toEqual(numbers.slice(3).map((n) => `${n}.10`));
    }
    expect((await walk(`/v1/balances?accountId=${uuid(3, 1)}&dateGte=2026-01-02&dateLt=2026-01-03`, 5)).length).toBe(1);
  });

  test('shapes: what is missing is left out or null, as the contract has it; amounts are exact text', async () => {
    const get = async (path: string) => (await gateway.send('GET', path)).body;
    expect(await get(`/v1/entities/${uuid(1, 1)}`)).toMatchObject({ metadata: { nested: { none: null } } });
    const single = await get(`/v1/accounts/${uuid(3, 1)}`);
    expect(single).toMatchObject({ currentBalance: '12345678901234567.890', officialName: null, createdAt: at(1) });
    expect(single).not.toHaveProperty('paymentIdentifiers');
    const setup = await get(`/v1/connections/${uuid(2, 3)}`);
    expect(setup).toMatchObject({
      kind: 'setup',
      setup: { nextAction: 'createDelegatedUser', credentialsPresent: false },
    });
    expect(setup).not.toHaveProperty('syncStatus');
    const failed = await get(`/v1/transfers/${uuid(4, 2)}`);
    expect(failed).toMatchObject({
      status: 'failed',
      failureReason: 'insufficient_funds',
      amount: '1.50',
      counterparty: null,
    });
    expect(failed['memo']).toBe('€'.repeat(140));
    const [listed] = await walk('/v1/transfers?status=failed', 100);
    expect(listed).toMatchObject({
      requestedAmount: { type: 'money', value: '1.50' },
      failureReason: { message: 'too little' },
    });
    expect(listed).not.toHaveProperty('executedAmount');
  });

  test('an account names what it can be paid by, in lists only', async () => {
    const rows = await walk('/v1/accounts', 100);
    const shared = { countryCode: 'US', currency: 'USD' };
    const details = { accountNumber: '0012345678', routingNumber: '999999992' };
    expect(rows.slice(0, 3).map((row) => row['paymentIdentifiers'])).toEqual([
      ['us_ach', 'us_wire'].map((scheme) => ({ scheme, ...shared, details })),
      [],
      [
        {
          ...{ scheme: 'iban', countryCode: 'DE', currency: 'EUR' },
          details: { iban: 'DE02120300000000202051', swiftBic: 'BYLADEM1001' },
        },
      ],
    ]);
  });

  test('institutions belong to an environment and are found by any of their names', async () => {
    const names = (await walk('/v1/institutions', 2)).map((row) => row['name'] as string);
    expect(names).toEqual(names.toSorted());
    expect(names.length).toBeGreaterThan(3);
    for (const query of [
      'sandbox-instant',
      'INSTANT.sandbox-bank.example',
      'https://instant.sandbox-bank.example/',
      'SIB',
    ]) {
      const found = await walk(`/v1/institutions?query=${encodeURIComponent(query)}`, 5);
      expect(found.map((row) => row['institutionId'])).toContain('sandbox-instant');
    }
    const { key } = await gateway.issue({ environment: 'live' });
    expect((await gateway.send('GET', '/v1/institutions', { key })).body['data']).toEqual([]);
    expect((await gateway.send('GET', '/v1/institutions/sandbox-instant', { key })).status).toBe(404);
  });
});
