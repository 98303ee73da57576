import type { BankTruth } from '@causeway/testing';
import { appendFileSync } from 'node:fs';
import { drawsFrom } from './world/random.ts';
import { at, bankUnderTest } from '../testing/bank-under-test.ts';

const bank = bankUnderTest();
beforeEach(() => bank.start());
afterAll(() => bank.discard());

const sum = (amounts: readonly string[]): number =>
  amounts.reduce((total, amount) => total + Math.round(Number(amount) * 100), 0);

const instruction = async (connectionId: string, reference: string) => {
  const { accounts } = await bank.truth(connectionId);
  const numbers = { fromAccountNumber: at(accounts).number, toAccountNumber: at(accounts, 1).number };
  return { reference, amount: '1.00', currency: 'USD', ...numbers };
};

it('is the same bank after a stop and after a kill', async () => {
  await bank.openCustomer('same');
  for (const scenario of ['new-transactions', 'post-pending', 'restate-transaction', 'withdraw-transaction'])
    await bank.play('same', scenario);
  for (const scenario of ['late-posting', 'restate-balance', 'reissue-ids']) await bank.play('same', scenario);
  await bank.call('POST', '/customers/same/payments', await instruction('same', 'same-1'));
  await bank.call('POST', '/control/clock/advance', { days: 3 });
  const before = await bank.truth('same');

  expect(await bank.stop()).toBe(0);
  await bank.start();
  expect(await bank.truth('same')).toEqual(before);

  await bank.kill();
  await bank.start();
  expect(await bank.truth('same')).toEqual(before);
  await bank.stop();
});

it('starts again after dying in the middle of a line', async () => {
  await bank.openCustomer('torn');
  const before = await bank.truth('torn');
  await bank.kill();
  appendFileSync(bank.journalPath, '{"atMs":1,"changes":[{"type":"rowsBooked","connectionId":"torn"');
  await bank.start();
  expect(await bank.truth('torn')).toEqual(before);
  await bank.stop();
});

it('keeps every payment it acknowledged and makes none twice, killed at any moment', async () => {
  const seed = Date.now() % 1_000_000;
  const draw = drawsFrom(seed);
  await bank.openCustomer('killed');
  const before = await bank.truth('killed');
  const wish = await instruction('killed', '');
  const acknowledged = new Set<string>();
  for (let round = 0; round < 6; round++) {
    // Ten references are sent twice. The kill comes with an acknowledgement, while others are under way.
    const references = Array.from({ length: 60 }, (_, index) => `killed-${round}-${index % 50}`);
    const last = acknowledged.size + 1 + draw(30);
    const sent = references.map(async (reference) => {
      const { body } = await bank.call('POST', '/customers/killed/payments', { ...wish, reference });
      if (body.status === 'executed') acknowledged.add(reference);
      if (acknowledged.size === last) await bank.kill();
    });
    await Promise.allSettled(sent);
    await bank.kill();
    await bank.start();
  }
  const after = await bank.truth('killed');
  const paid = after.payments.map(({ reference }) => reference);
  const told = `seed ${seed}`;
  expect([told, [...acknowledged].filter((reference) => !paid.includes(reference))]).toEqual([told, []]);
  expect(acknowledged.size).toBeGreaterThan(5);
  expect(new Set(paid).size).toBe(paid.length);
  const booked = after.transactions.length - before.transactions.length;
  expect([told, booked]).toEqual([told, 2 * paid.length]);
  const balances = (truth: BankTruth) => sum(truth.accounts.map(({ ledgerBalance }) => ledgerBalance));
  expect(balances(after)).toBe(balances(before));
  expect(sum([at(after.accounts).ledgerBalance]) - sum([at(before.accounts).ledgerBalance])).toBe(-100 * paid.length);
  await bank.stop();
});

it('keeps the past of a customer when the settings change', async () => {
  await bank.openCustomer('kept');
  const before = await bank.truth('kept');
  await bank.stop();
  const other = { ...process.env };
  process.env['CAUSEWAY_SANDBOX_SEED'] = '99';
  await bank.start();
  process.env = other;
  expect(await bank.truth('kept')).toEqual(before);
  await bank.openCustomer('later');
  expect((await bank.truth('later')).transactions).not.toEqual(before.transactions);
  await bank.stop();
});
