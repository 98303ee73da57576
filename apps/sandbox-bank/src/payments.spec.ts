import { at, bankUnderTest } from '../testing/bank-under-test.ts';

const bank = bankUnderTest();
beforeAll(async () => {
  await bank.start();
  await bank.openCustomer('payer');
});
afterAll(() => bank.discard());

let references = 0;
const accountsOf = async () => (await bank.truth('payer')).accounts;

/** An instruction between the first two accounts, but for what is said otherwise; accounts may be said by place. */
const pay = async (otherwise: Record<string, unknown> = {}) => {
  const accounts = await accountsOf();
  const numbers = { fromAccountNumber: at(accounts).number, toAccountNumber: at(accounts, 1).number };
  const places = Object.entries(otherwise).map(([name, value]) => [
    name,
    typeof value === 'number' ? at(accounts, value).number : value,
  ]);
  const instruction: object = Object.fromEntries([
    ...Object.entries({ reference: `ref-${++references}`, amount: '5.00', currency: 'USD', ...numbers }),
    ...places,
  ]);
  return bank.call('POST', '/customers/payer/payments', instruction);
};

it('a transfer between accounts of one customer is executed at once and moves both balances', async () => {
  const before = await accountsOf();
  const { status, body } = await pay();
  expect([status, body.status]).toEqual([201, 'executed']);
  const moved = (await accountsOf()).map((account, place) =>
    (Number(account.ledgerBalance) - Number(at(before, place).ledgerBalance)).toFixed(2),
  );
  expect(moved).toEqual(['-5.00', '5.00', '0.00', '0.00', '0.00']);
});

it('the truth tells of a payment in its own shape', async () => {
  await pay({ reference: 'shape-1', amount: '1.50' });
  const { payments, accounts } = await bank.truth('payer');
  expect(payments.at(-1)).toEqual({
    reference: 'shape-1',
    amount: '1.50',
    currency: 'USD',
    fromAccountNumber: at(accounts).number,
    status: 'executed',
    receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
});

it.each([
  ['more than is there', { amount: '99999999.00' }, 'insufficient_funds'],
  ['an unknown destination', { toAccountNumber: '123' }, 'invalid_destination'],
  ['a destination in another currency', { toAccountNumber: 3 }, 'invalid_destination'],
  ['the same account', { toAccountNumber: 0 }, 'invalid_destination'],
  ['an unknown source', { fromAccountNumber: '123' }, 'account_closed'],
  ['another currency than the source', { currency: 'EUR' }, 'rejected_by_bank'],
  ['a card as the source', { fromAccountNumber: 2, toAccountNumber: 0 }, 'rejected_by_bank'],
  ['nothing', { amount: '0.00' }, 'rejected_by_bank'],
  ['a fraction of a cent', { amount: '0.001' }, 'rejected_by_bank'],
])('%s fails, and stays failed', async (_, otherwise, code) => {
  const before = await accountsOf();
  const { body } = await pay(otherwise);
  expect([body.status, body.failure.code]).toEqual(['failed', code]);
  expect(await accountsOf()).toEqual(before);
  const again = await pay({ reference: body.reference });
  expect(again.body).toEqual(body);
});

it('pending debits are held back', async () => {
  const checking = at(await accountsOf());
  expect(Number(checking.availableBalance)).toBeLessThan(Number(checking.ledgerBalance));
  const { body } = await pay({ amount: checking.ledgerBalance });
  expect(body.failure.code).toBe('insufficient_funds');
});

it('a hundred callers with one reference make one payment', async () => {
  const told = await Promise.all(Array.from({ length: 100 }, () => pay({ reference: 'race-1' })));
  expect(new Set(told.map(({ text }) => text)).size).toBe(1);
  expect(told.filter(({ status }) => status === 201)).toHaveLength(1);
  const { payments } = await bank.truth('payer');
  expect(payments.filter(({ reference }) => reference === 'race-1')).toHaveLength(1);
});

it('a reference of another customer is taken', async () => {
  await pay({ reference: 'mine-1' });
  await bank.openCustomer('other');
  const instruction = {
    reference: 'mine-1',
    amount: '1.00',
    currency: 'USD',
    fromAccountNumber: '1',
    toAccountNumber: '2',
  };
  expect((await bank.call('POST', '/customers/other/payments', instruction)).status).toBe(409);
});

it('an instruction without its parts is not taken', async () => {
  expect((await pay({ reference: null })).status).toBe(400);
  expect((await pay({ amount: null })).status).toBe(400);
});

it('lose-next-answer executes the payment and cuts the line, once', async () => {
  await bank.play('payer', 'lose-next-answer');
  await expect(pay({ reference: 'lost-1' })).rejects.toThrow();
  expect((await bank.call('GET', '/customers/payer/payments/lost-1')).body.status).toBe('executed');
  expect((await pay()).status).toBe(201);
});

it('a returned payment is booked back', async () => {
  const before = await accountsOf();
  await pay({ reference: 'back-1' });
  expect((await bank.call('POST', '/control/payments/back-1/return')).status).toBe(200);
  expect((await bank.call('GET', '/customers/payer/payments/back-1')).body).toMatchObject({
    status: 'returned',
    failure: { code: 'returned_by_beneficiary' },
  });
  expect(await accountsOf()).toEqual(before);
  expect((await bank.call('POST', '/control/payments/back-1/return')).status).toBe(409);
});

it.each(['approve', 'decline'])('an executed payment has nothing to %s', async (verb) => {
  await pay({ reference: `done-${verb}` });
  expect((await bank.call('POST', `/control/payments/done-${verb}/${verb}`)).status).toBe(409);
  expect((await bank.call('POST', `/control/payments/never-sent/${verb}`)).status).toBe(404);
});

const beneficiary = {
  name: 'Acme Supplies',
  paymentIdentifier: { scheme: 'us_wire', details: { accountNumber: '000123456789', routingNumber: '021000021' } },
};
const payOthers = (reference: string, otherwise: Record<string, unknown> = {}) =>
  pay({ reference, rail: 'wire', beneficiary, toAccountNumber: null, ...otherwise });
const say = (reference: string, verb: string) => bank.call('POST', `/control/payments/${reference}/${verb}`);
const stateOf = async (reference: string) => (await bank.call('GET', `/customers/payer/payments/${reference}`)).body;

it('a payment to others moves money once the approver has said so', async () => {
  const before = at(await accountsOf()).ledgerBalance;
  expect((await payOthers('wire-1')).body.status).toBe('awaitingApproval');
  expect(at(await accountsOf()).ledgerBalance).toBe(before);
  expect((await say('wire-1', 'approve')).body.status).toBe('executed');
  expect(Number(before) - Number(at(await accountsOf()).ledgerBalance)).toBeCloseTo(5);
  expect((await say('wire-1', 'approve')).status).toBe(409);
  expect((await say('wire-1', 'return')).body.status).toBe('returned');
  expect(at(await accountsOf()).ledgerBalance).toBe(before);
});

it('what the approver declines moves no money', async () => {
  const before = await accountsOf();
  await payOthers('wire-2');
  expect((await say('wire-2', 'decline')).body.status).toBe('declined');
  expect(await stateOf('wire-2')).toMatchObject({ failure: { code: 'approval_declined' } });
  expect(await accountsOf()).toEqual(before);
});

it('funds that are gone by the time of the approval fail the payment', async () => {
  const { ledgerBalance } = at(await accountsOf(), 1);
  await payOthers('wire-3', { fromAccountNumber: 1, amount: ledgerBalance });
  await pay({ fromAccountNumber: 1, toAccountNumber: 0, amount: '1.00' });
  expect((await say('wire-3', 'approve')).body.status).toBe('failed');
  expect(await stateOf('wire-3')).toMatchObject({ failure: { code: 'insufficient_funds' } });
});

it('a transfer’s own id means its newest attempt', async () => {
  await payOthers('again');
  await say('again', 'decline');
  await payOthers('again.1');
  expect((await say('again', 'approve')).body).toEqual({ reference: 'again.1', status: 'executed' });
  expect(await stateOf('again')).toMatchObject({ status: 'declined' });
});

it('fail-next-payment fails the next payment, with the code that is asked for, and no other', async () => {
  expect((await bank.play('payer', 'fail-next-payment', { code: 'no_such_code' })).status).toBe(400);
  await bank.play('payer', 'fail-next-payment', { code: 'limit_exceeded' });
  expect((await payOthers('forced-1')).body).toMatchObject({ status: 'failed', failure: { code: 'limit_exceeded' } });
  expect((await pay()).body.status).toBe('executed');
});

it('an instruction goes to one receiver', async () => {
  expect((await pay({ toAccountNumber: null })).status).toBe(400);
  expect((await pay({ beneficiary })).status).toBe(400);
  expect((await payOthers('nobody-1', { beneficiary: { name: 'Acme' } })).status).toBe(400);
});
