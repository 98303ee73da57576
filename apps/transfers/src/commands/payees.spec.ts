import { sealedTo, type CreateTransferV1, type PayeeV1 } from '@causeway/contracts';
import { noDataKeys } from '@causeway/data-keys';
import { payeesOf } from './payees.ts';

const older = { id: '1', key: Buffer.alloc(32, 1) };
const newer = { id: '2', key: Buffer.alloc(32, 2) };
const details = { iban: 'de89 3704 0044 0532 0130 00' };
const payee: PayeeV1 = {
  name: 'Acme',
  paymentIdentifier: { scheme: 'iban', countryCode: 'DE', currency: 'EUR', details },
  bankName: null,
  address: null,
};
const command: CreateTransferV1 = {
  ...{ organization: 'demo', environment: 'test', transferId: 't-1' },
  ...{ amount: { currency: 'EUR', value: '1.00' }, sourceAccountId: 'a-1', transferType: 'sepa' },
  ...{ clientReference: null, executionDate: null, memo: null, skipPreflight: false },
  destination: { type: 'account', accountId: 'a-2' },
};

const before = payeesOf([older], noDataKeys);
const sealedFor = async (transferId: string): Promise<CreateTransferV1> => {
  const sealedPayee = await sealedTo(before.publicKey, JSON.stringify({ transferId, payee }));
  return { ...command, destination: { type: 'external', sealedPayee } };
};

test('a payee comes as its scheme writes it', async () => {
  const destination = await before.destinationOf(await sealedFor('t-1'));
  const paymentIdentifier = { ...payee.paymentIdentifier, details: { iban: 'DE89370400440532013000' } };
  expect(destination).toEqual({ type: 'external', payee: { ...payee, paymentIdentifier } });
});

test('what was sealed to a key before a rotation is opened after it', async () => {
  const after = payeesOf([newer, older], noDataKeys);
  expect(after.publicKey).not.toBe(before.publicKey);
  expect(await after.destinationOf(await sealedFor('t-1'))).toMatchObject({ payee: { name: 'Acme' } });
});

test('a payee that was sealed for another transfer is not taken', async () => {
  await expect(before.destinationOf(await sealedFor('t-2'))).rejects.toThrow('another transfer');
});

test('a payee that was sealed to a key of others is not taken', async () => {
  const others = payeesOf([newer], noDataKeys);
  await expect(others.destinationOf(await sealedFor('t-1'))).rejects.toThrow();
});

test('an account of one’s own is not sealed', async () => {
  expect(await before.destinationOf(command)).toBe(command.destination);
});
