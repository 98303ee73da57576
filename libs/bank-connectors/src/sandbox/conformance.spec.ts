import { startSandboxBank } from '@causeway/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fetched, PaymentOrder } from '../connector.ts';
import { connectorConformance } from '../testing/conformance.ts';
import { sandboxConnector } from './connector.ts';

const access = { connectionId: '0190b1f0-0000-7000-8000-000000000001', fileDropDir: '' };
const never = new AbortController().signal;

const orderFrom = (fetched: readonly Fetched[], reference: string): PaymentOrder => {
  const [from, to] = fetched.flatMap((one) => (one.type === 'account' ? [one.account] : []));
  if (from === undefined || to === undefined) throw new Error('the bank shows fewer than two accounts');
  const numbers = { fromAccountNumber: from.number, toAccountNumber: to.number };
  return { reference, amount: '12.34', currency: 'USD', ...numbers, clientReference: null, memo: 'a "memo"' };
};

connectorConformance('the sandbox connector', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-conformance-'));
  const bank = await startSandboxBank({ dataDir });
  const connector = sandboxConnector();
  const here = { ...access, institutionId: 'sandbox-instant', baseUrl: bank.url };
  return {
    connector,
    access: here,
    nowhere: { ...here, baseUrl: 'http://127.0.0.1:1' },
    order: async (reference) => {
      const fetched: Fetched[] = [];
      for await (const one of connector.open(here).fetch(never)) fetched.push(one);
      return orderFrom(fetched, reference);
    },
    close: async () => {
      await bank.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
});
