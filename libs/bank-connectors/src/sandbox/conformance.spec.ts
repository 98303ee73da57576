import { startSandboxBank } from '@causeway/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connector, Fetched, PaymentOrder } from '../connector.ts';
import { connectorConformance, type BankUnderTest } from '../testing/conformance.ts';
import { sandboxConnector } from './connector.ts';

const access = { connectionId: '0190b1f0-0000-7000-8000-000000000001', fileDropDir: '' };
const never = new AbortController().signal;

const orderFrom = (fetched: readonly Fetched[], reference: string): PaymentOrder => {
  const [from, to] = fetched.flatMap((one) => (one.type === 'account' ? [one.account] : []));
  if (from === undefined || to === undefined) throw new Error('the bank shows fewer than two accounts');
  const sides = { fromAccountNumber: from.number, to: { accountNumber: to.number } };
  return {
    reference,
    rail: 'internal',
    amount: '12.34',
    currency: 'USD',
    ...sides,
    clientReference: null,
    memo: 'a "memo"',
  };
};

const start = async (connector: Connector, institutionId: string): Promise<BankUnderTest> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-conformance-'));
  const bank = await startSandboxBank({ dataDir });
  const here = { ...access, institutionId, baseUrl: bank.url };
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
};

connectorConformance('the sandbox connector', () => start(sandboxConnector(), 'sandbox-instant'));
connectorConformance('the sandbox connector as a delegated user', () =>
  start(sandboxConnector({ isDelegated: true }), 'sandbox-delegated'),
);
