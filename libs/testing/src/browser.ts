import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const isRequired = process.env['CI'] === 'true';

const args = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** For specs that look at a page as people do. Without a browser they count as skipped; in CI there must be one. */
export const describeWithBrowser = (name: string, specs: (browser: () => BrowserContext) => void): void => {
  const isThere = executablePath !== undefined;
  if (!isThere) console.warn(`${name}: no Chromium is installed`);
  (isThere || isRequired ? describe : describe.skip)(name, () => {
    let profile = '';
    let context: BrowserContext | undefined;

    beforeAll(async () => {
      if (executablePath === undefined) throw new Error('CI has no Chromium to look at pages with');
      profile = mkdtempSync(join(tmpdir(), 'causeway-browser-'));
      // Loaded by those who look at pages alone.
      const { chromium } = await import('playwright-core');
      context = await chromium.launchPersistentContext(profile, { executablePath, args });
    }, 60_000);

    afterAll(async () => {
      await context?.close();
      if (profile !== '') rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    });

    specs(() => context as BrowserContext);
  });
};
