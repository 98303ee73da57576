import { bankUnderTest } from '../testing/bank-under-test.ts';

const bank = bankUnderTest();
beforeAll(() => bank.start());
afterAll(() => bank.discard());

const logIn = async (connectionId: string, body: object = {}): Promise<number> =>
  (await bank.call('POST', `/customers/${connectionId}/login`, body)).status;
const listing = async (connectionId: string): Promise<number> =>
  (await bank.call('GET', `/customers/${connectionId}/accounts`)).status;

it.each([
  ['sandbox-delegated', { bankUsername: 'ada', password: 'anything' }, 200],
  ['sandbox-delegated', {}, 200],
  ['sandbox-delegated', { bankUsername: 'reject-login' }, 401],
  ['sandbox-delegated', { bankUsername: 'no-rights' }, 403],
  ['sandbox-delegated', [], 400],
  ['sandbox-instant', { bankUsername: 'reject-login' }, 200],
])('at %s, a login with %j is answered with %d', async (institutionId, body, status) => {
  const connectionId = `${institutionId}-${status}-${JSON.stringify(body).length}`;
  await bank.openCustomer(connectionId, institutionId);
  expect(await logIn(connectionId, body)).toBe(status);
});

it('a login that lapses is refused everywhere until it is restored, over a restart too', async () => {
  await bank.openCustomer('lapsing');
  await bank.play('lapsing', 'login-lapses');
  await bank.stop();
  await bank.start();
  expect([await logIn('lapsing'), await listing('lapsing')]).toEqual([401, 401]);
  await bank.play('lapsing', 'login-restored');
  expect([await logIn('lapsing'), await listing('lapsing')]).toEqual([200, 200]);
});

it('access that was withdrawn is withdrawn for good', async () => {
  await bank.openCustomer('withdrawn');
  await bank.play('withdrawn', 'revoke-access');
  await bank.play('withdrawn', 'login-restored');
  expect([await logIn('withdrawn'), await listing('withdrawn')]).toEqual([403, 403]);
});
