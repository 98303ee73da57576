import { connectors } from '@causeway/bank-connectors';
import type { DeclaredOutcome, TransferEvent } from '@causeway/domain/transfers';
import { describeWithPostgres } from '@causeway/testing';
import { randomUUID } from 'node:crypto';
import {
  accountOf,
  checkingToSavings,
  eventually,
  scope,
  startService,
  type Customer,
  type ServiceUnderTest,
} from '../../testing/service-under-test.ts';

const at = '2026-03-01T10:00:00.000Z';
const context = { metadata: { correlationId: 'request-1', causationId: 'message-1', ...scope } };
const institutionId = 'sandbox-instant';

describeWithPostgres('an outcome that an operator declares', () => {
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

  /** A transfer whose outcome was lost, and what an operator says of it; nobody has asked the bank since. */
  const declared = async (outcome: DeclaredOutcome): Promise<string> => {
    const transferId = randomUUID();
    const { transfer } = service.aggregates;
    const { connectionId } = customer;
    const order = {
      ...{ ...checkingToSavings(customer), amount: { currency: 'USD', value: '5.00' }, connectionId, institutionId },
      ...{
        transferType: 'internal' as const,
        clientReference: null,
        memo: null,
        executionDate: null,
        skipPreflight: false,
      },
    };
    await service.halt();
    await transfer({ type: 'QueueTransfer', transferId, at, order }, context);
    await transfer({ type: 'StartExecution', transferId, at, attempt: 0 }, context);
    await transfer({ type: 'RecordLostOutcome', transferId, at: new Date().toISOString(), attempt: 0 }, context);
    const said = { reason: 'the bank told us on the phone', operator: 'ada' };
    await transfer({ type: 'DeclareOutcome', transferId, outcome, at, ...said }, context);
    return transferId;
  };
  const paid = async (transferId: string): Promise<void> => {
    const access = { connectionId: customer.connectionId, institutionId, baseUrl: service.bank.url, fileDropDir: '' };
    const sides = {
      fromAccountNumber: accountOf(customer, 'checking').number,
      to: { accountNumber: accountOf(customer, 'savings').number },
    };
    const what = { amount: '5.00', currency: 'USD', clientReference: null, memo: null, rail: 'internal' } as const;
    const payment = { reference: transferId, ...what, ...sides };
    await connectors['sandbox']?.payments?.pay(access, payment, AbortSignal.timeout(5000));
  };
  const down = async (): Promise<void> => {
    const url = `${service.bank.url}/control/connections/${customer.connectionId}/scenarios/down`;
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ seconds: 60 }) });
    expect(answer.status).toBe(200);
  };
  const ended = (transferId: string) =>
    eventually(async () => {
      const row = await service.row(transferId);
      return row === undefined || row.status === 'unknown' ? undefined : row;
    });
  /** Whether the last event came of the declaration. */
  const isByOperator = async (transferId: string): Promise<boolean> => {
    const history = await service.store.readStream<TransferEvent>(`transfer-${transferId}`);
    const word = history.find(({ type }) => type === 'TransferOutcomeDeclared');
    return history.at(-1)?.metadata.causationId === word?.id;
  };

  test.each([
    ['sent', { status: 'completed', executedValue: '5.00' }],
    ['not_sent', { status: 'failed', failureCode: 'bank_error' }],
  ] as const)('as %s counts where the bank has never seen the order', async (outcome, shown) => {
    const transferId = await declared(outcome);
    await service.resume();
    expect(await ended(transferId)).toMatchObject(shown);
    expect(await isByOperator(transferId)).toBe(true);
  });

  test('counts where the bank gives no answer', async () => {
    const transferId = await declared('sent');
    await down();
    await service.resume();
    expect(await ended(transferId)).toMatchObject({ status: 'completed' });
  });

  test('yields to the bank, which knows the order', async () => {
    const transferId = await declared('not_sent');
    await paid(transferId);
    await service.resume();
    expect(await ended(transferId)).toMatchObject({ status: 'completed', failureCode: null });
    expect(await isByOperator(transferId)).toBe(false);
  });
});
