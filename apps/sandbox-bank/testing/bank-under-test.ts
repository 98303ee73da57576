import { startSandboxBank, type BankTruth, type BankTruthRow, type SandboxBank } from '@causeway/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every member that an answer may have; which ones it has is what a spec asks. */
export type Body = BankTruth &
  Readonly<{
    now: string;
    changed: readonly Readonly<BankTruthRow & { date: string }>[];
    status: string;
    reference: string;
    failure: Readonly<{ code: string; message: string }>;
    message: string;
    from: string;
    to: string;
  }>;

export type Told = Readonly<{ status: number; headers: Headers; text: string; body: Body }>;

export type Call = (method: 'GET' | 'PUT' | 'POST', path: string, body?: object | string) => Promise<Told>;

const caller =
  (url: string): Call =>
  async (method, path, body) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    const answer = await fetch(url + path, { method, ...(text === undefined ? {} : { body: text }) });
    const told = await answer.text();
    return { status: answer.status, headers: answer.headers, text: told, body: JSON.parse(told) as Body };
  };

/** The member at a place; a spec that finds none there has failed. */
export const at = <T>(list: readonly T[], place = 0): T => {
  const member = list.at(place);
  if (member === undefined) throw new Error(`nothing at place ${place} of ${list.length}`);
  return member;
};

/** A bank process with data of its own, that can be ended in any way and started again. */
export const bankUnderTest = (env: Readonly<Record<string, string>> = {}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sandbox-bank-'));
  let bank: SandboxBank | undefined;
  const running = (): SandboxBank => {
    if (bank === undefined) throw new Error('the bank has not been started');
    return bank;
  };
  const call: Call = (...asked) => caller(running().url)(...asked);
  return {
    journalPath: join(dataDir, 'sandbox-bank', 'journal.ndjson'),
    url: () => running().url,
    call,
    start: async () => {
      await bank?.kill();
      bank = await startSandboxBank({ dataDir, env });
    },
    stop: () => running().stop(),
    kill: () => running().kill(),
    discard: async () => {
      await bank?.kill();
      rmSync(dataDir, { recursive: true, force: true });
    },
    openCustomer: async (connectionId: string, institutionId = 'sandbox-instant') => {
      const { status } = await call('PUT', `/customers/${connectionId}`, { institutionId });
      if (status >= 300) throw new Error(`opening ${connectionId}: ${status}`);
    },
    play: (connectionId: string, scenario: string, body?: object) =>
      call('POST', `/control/connections/${connectionId}/scenarios/${scenario}`, body),
    truth: async (connectionId: string): Promise<BankTruth> =>
      (await call('GET', `/control/connections/${connectionId}`)).body,
  };
};
