import { startSandboxBank, type SandboxBank } from '@causeway/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BankAccess } from '../connector.ts';
import { sandboxConnector } from './connector.ts';

const never = new AbortController().signal;
const connector = sandboxConnector({ isDelegated: true });
const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-logins-'));
let bank: SandboxBank;

beforeAll(async () => {
  bank = await startSandboxBank({ dataDir });
});
afterAll(async () => {
  await bank.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const customer = async (connectionId: string, credentials?: BankAccess['credentials']): Promise<BankAccess> => {
  const at = { connectionId, institutionId: 'sandbox-delegated', baseUrl: bank.url, fileDropDir: '' };
  await connector.prepare(at);
  return { ...at, ...(credentials && { credentials }) };
};
const play = async ({ connectionId }: BankAccess, scenario: string): Promise<void> => {
  const url = `${bank.url}/control/connections/${connectionId}/scenarios/${scenario}`;
  expect((await fetch(url, { method: 'POST' })).status).toBe(200);
};
const firstOf = (access: BankAccess) => connector.open(access).fetch(never)[Symbol.asyncIterator]().next();

it('lets a delegated user in, with or without credentials', async () => {
  await expect(connector.login(await customer('without'), never)).resolves.toBeUndefined();
  await expect(connector.login(await customer('with', { password: 'x' }), never)).resolves.toBeUndefined();
});

it.each([
  ['reject-login', 'login_refused'],
  ['no-rights', 'insufficient_rights'],
])('says what the bank has against the user %s, at a login and before anything is fetched', async (user, kind) => {
  const access = await customer(user, { bankUsername: user });
  await expect(connector.login(access, never)).rejects.toMatchObject({ kind });
  await expect(firstOf(access)).rejects.toMatchObject({ kind });
});

it.each([
  ['login-lapses', 'login_refused'],
  ['revoke-access', 'access_revoked'],
  ['rate-limit', 'rate_limited'],
  ['down', 'unavailable'],
])('after %s a login is %s', async (scenario, kind) => {
  const access = await customer(scenario);
  await play(access, scenario);
  await expect(connector.login(access, never)).rejects.toMatchObject({ kind });
});
