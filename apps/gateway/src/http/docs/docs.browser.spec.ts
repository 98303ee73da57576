import { describeWithBrowser } from '@causeway/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayUnderTest } from '../../../testing/gateway-under-test.ts';
import { servedDocument } from '../../../testing/openapi.ts';
import { startOwnedGateway } from '../../../testing/owner.ts';
import { guides } from './guides.ts';

/** Where a picture of each page is to be put, to be looked at. */
const pictures = process.env['CAUSEWAY_TEST_PICTURES'];

/** Long enough for whatever a page asks for once it stands. */
const settledMs = 500;

/** For the browser. */
const tellsOfViolations = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('refused by policy: ' + violatedDirective + ' ' + blockedURI));`;

describeWithBrowser('a page of the documentation', (browser) => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startOwnedGateway();
  });
  afterAll(() => gateway.close());

  /** The page once `shown` is there, and all that went wrong or elsewhere on the way. */
  const opened = async (path: string, shown: string) => {
    const page = await browser().newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('requestfailed', (request) => faults.push(`failed: ${request.url()}`));
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== gateway.baseUrl && protocol !== 'data:') faults.push(`left for ${origin}`);
    });
    await page.addInitScript({ content: tellsOfViolations });
    await page.goto(`${gateway.baseUrl}${path}`);
    await page.waitForSelector(shown);
    await sleep(settledMs);
    if (pictures !== undefined) {
      await page.screenshot({ path: `${pictures}/${path.slice(1).replaceAll('/', '-')}.png`, fullPage: true });
    }
    return { page, faults };
  };

  test('shows every operation, and asks no other host for anything', async () => {
    const { page, faults } = await opened('/docs', '.opblock');
    const texts = async (part: string): Promise<string[]> =>
      (await page.locator(`.opblock-summary ${part}`).allTextContents()).map((text) => text.replaceAll('\u200b', ''));
    const [methods, paths] = [await texts('.opblock-summary-method'), await texts('.opblock-summary-path')];
    const shown = paths.map((path, index) => `${methods[index]} ${path}`);
    const documented = Object.entries(servedDocument().paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.filter((operation) => !shown.includes(operation))).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });

  test('shows an operation that is opened, and sends it to ourselves', async () => {
    const { page, faults } = await opened('/docs', '.opblock');
    await page.click('.opblock-summary-path[data-path="/healthz"]');
    await page.click('text=Try it out');
    await page.click('button.execute');
    await page.waitForSelector('.live-responses-table .response .response-col_status');
    expect(await page.textContent('.live-responses-table .response .response-col_status')).toContain('200');
    expect(faults).toEqual([]);
    await page.close();
  });

  test('leads to the guides and from each to all others', async () => {
    for (const path of ['/docs', ...guides.map(({ name }) => `/docs/${name}`)]) {
      const { page, faults } = await opened(path, path === '/docs' ? '.opblock' : 'h1');
      const links = await page.$$eval('nav a', (anchors) =>
        anchors.map((anchor) => (anchor as unknown as { href: string }).href),
      );
      const all = ['/docs', ...guides.map(({ name }) => `/docs/${name}`)].map((each) => `${gateway.baseUrl}${each}`);
      expect(links).toEqual(all);
      expect(faults).toEqual([]);
      await page.close();
    }
  });
});
