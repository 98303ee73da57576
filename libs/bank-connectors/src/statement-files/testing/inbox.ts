import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholePage, type StatementPage } from '@causeway/domain/ledger';
import type { BankAccess, BankAccount, RawPage } from '../../connector.ts';
import { statementFilesConnector, type StatementFilesSettings } from '../connector.ts';

const fixtures = join(import.meta.dirname, '../fixtures');

export type Sync = Readonly<{
  session: Readonly<{ settle(): Promise<void> }>;
  accounts: readonly BankAccount[];
  raw: readonly RawPage[];
  pages: readonly StatementPage[];
}>;

/** A connection's folders in a directory of their own. Files are complete when they are dropped, so none is waited for. */
export const testInbox = (settings: Partial<StatementFilesSettings> = {}) => {
  const fileDropDir = mkdtempSync(join(tmpdir(), 'file-drop-'));
  const connectionId = '0190b1f0-0000-7000-8000-000000000001';
  const access: BankAccess = { connectionId, institutionId: 'sandbox-files', baseUrl: '', fileDropDir };
  const folder = (name: string): string => join(fileDropDir, connectionId, name);
  mkdirSync(folder('inbox'), { recursive: true });
  const connector = statementFilesConnector({ standStillMs: 5, ...settings });
  return {
    access,
    connector,
    folder,
    dropFixture: (name: string, as = name): void => copyFileSync(join(fixtures, name), join(folder('inbox'), as)),
    drop: (name: string, content: string | Buffer): void => writeFileSync(join(folder('inbox'), name), content),
    fixture: (name: string): Buffer => readFileSync(join(fixtures, name)),
    list: (name: string): readonly string[] => readdirSync(folder(name)).sort(),
    /** What one sync fetches; the caller settles, as another process would. */
    fetch: async (): Promise<Sync> => {
      const opened = connector.open(access);
      const accounts: BankAccount[] = [];
      const raw: RawPage[] = [];
      for await (const fetched of opened.fetch(new AbortController().signal)) {
        if (fetched.type === 'account') accounts.push(fetched.account);
        else raw.push(fetched.page);
      }
      const session = { settle: () => statementFilesConnector().settle(access, opened.lent()) };
      return {
        session,
        accounts,
        raw,
        pages: raw.map(({ parts }) => wholePage(parts.map((part) => connector.map(part)))),
      };
    },
    remove: (): void => rmSync(fileDropDir, { recursive: true, force: true }),
  };
};

export type TestInbox = ReturnType<typeof testInbox>;
