import { paymentsBooked, type PaymentsBookedV1 } from '@causeway/contracts';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import {
  accountOf,
  checkingToSavings,
  dataOf,
  eventually,
  scope,
  startService,
  type Customer,
  type ServiceUnderTest,
} from '../../testing/service-under-test.ts';

type Payment = PaymentsBookedV1['payments'][number];

describeWithPostgres('rows of a statement that carry references', () => {
  let service: ServiceUnderTest;
  let customer: Customer;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    customer = await service.customer();
  });
  afterEach(() => expect(service.deadLetters).toEqual([]));

  const completed = async (): Promise<string> => {
    const { id } = dataOf(await service.create(checkingToSavings(customer))).transfer;
    await eventually(async () => ((await service.row(id))?.status === 'completed' ? true : undefined));
    return id;
  };
  const tell = (payments: readonly Partial<Payment>[], owner: Partial<typeof scope> = {}) =>
    service.tell(paymentsBooked, {
      ...{ ...scope, ...owner, connectionId: customer.connectionId, runId: randomUUID() },
      payments: payments.map((payment) => ({
        ...{ accountId: accountOf(customer, 'checking').id, transactionId: randomUUID(), reference: randomUUID() },
        ...payment,
      })),
    });
  const matchOf = async (id: string) => (await service.row(id))?.matchedTransactionId;

  test('are the payments of the transfers whose references they are', async () => {
    const [first, second] = [await completed(), await completed()];
    const [one, other] = [randomUUID(), randomUUID()];
    await tell([{}, { reference: first, transactionId: one }, { reference: `${second}.1`, transactionId: other }]);
    await eventually(async () => ((await matchOf(second)) === other ? true : undefined));
    expect(await matchOf(first)).toBe(one);
  });

  test('of another account, owner or environment are not', async () => {
    const id = await completed();
    await tell([{ reference: id, accountId: accountOf(customer, 'savings').id }]);
    await tell([{ reference: id }], { organization: 'other' as 'demo' });
    await tell([{ reference: id }], { environment: 'live' as 'test' });
    expect(await matchOf(id)).toBeNull();
    const transactionId = randomUUID();
    await tell([{ reference: id, transactionId }]);
    await eventually(async () => ((await matchOf(id)) === transactionId ? true : undefined));
  });

  test('that come again change nothing', async () => {
    const id = await completed();
    const transactionId = randomUUID();
    await tell([{ reference: id, transactionId }]);
    await tell([{ reference: id, transactionId: randomUUID() }]);
    await eventually(async () => ((await matchOf(id)) === transactionId ? true : undefined));
    const events = await service.store.readStream(`transfer-${id}`);
    expect(events.filter(({ type }) => type === 'TransferMatched')).toHaveLength(1);
  });
});
