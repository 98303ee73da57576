import { describeWithPostgres } from '@causeway/testing';
import type { GatewayUnderTest } from '../../../testing/gateway-under-test.ts';
import { startOwnedGateway } from '../../../testing/owner.ts';
import { guides } from './guides.ts';

describeWithPostgres('the documentation', () => {
  let gateway: GatewayUnderTest;
  beforeAll(async () => {
    gateway = await startOwnedGateway();
  });
  afterAll(() => gateway.close());

  const read = (path: string, encoding = 'identity') =>
    fetch(`${gateway.baseUrl}${path}`, { headers: { 'accept-encoding': encoding } });

  test('is there for anyone, and runs nothing that is not its own', async () => {
    const answer = await read('/docs');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; /,
    );
    expect(await answer.text()).not.toMatch(/<(script|style)[^>]*>[^<]|\son\w+=|https?:/);
  });

  test.each(guides.map(({ name }) => name))('%s is a page, and Markdown', async (name) => {
    const [page, source] = await Promise.all([read(`/docs/${name}`), read(`/docs/${name}.md`)]);
    expect([page.headers.get('content-type'), source.headers.get('content-type')]).toEqual([
      'text/html; charset=utf-8',
      'text/markdown; charset=utf-8',
    ]);
    expect(await page.text()).toContain('<h1 id=');
    expect(await source.text()).toBe(guides.find((guide) => guide.name === name)?.markdown);
  });

  test('links lead somewhere: between the guides, and to headings in them', async () => {
    const pages = new Map<string, string>();
    for (const { name } of guides) pages.set(name, await (await read(`/docs/${name}`)).text());
    const broken = [...pages].flatMap(([name, html]) =>
      [...html.matchAll(/<a href="([^"]*)"/g)].flatMap(([, href = '']) => {
        if (/^https:/.test(href)) return [];
        const url = new URL(href, `http://docs/docs/${name}`);
        if (['/docs', '/openapi.json'].includes(url.pathname)) return [];
        const target = pages.get(url.pathname.replace(/^\/docs\/(.*?)(\.md)?$/, '$1'));
        const anchor = url.hash === '' || target?.includes(`id="${url.hash.slice(1)}"`);
        return target !== undefined && anchor ? [] : [`${name}: ${href}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  test('its parts are kept for good by who has them, and its pages for minutes', async () => {
    const page = await read('/docs');
    expect(page.headers.get('cache-control')).toBe('public, max-age=300');
    const parts = [...(await page.text()).matchAll(/(?:src|href)="(docs\/[^"]*\.(?:js|css))"/g)].map(
      ([, href]) => href,
    );
    expect(parts).toHaveLength(4);
    for (const part of parts) {
      const answer = await read(`/${part}`);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000']);
      expect(answer.headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
    }
  });

  test.each([
    ['gzip, deflate, br', 'gzip'],
    ['identity', null],
    ['gzip;q=0', null],
  ])('is sent to who accepts %s as %s', async (accepted, sent) => {
    const answer = await read('/docs', accepted);
    expect(answer.headers.get('content-encoding')).toBe(sent);
    expect(await answer.text()).toContain('<!doctype html>');
  });

  test('what is not there is refused as everywhere', async () => {
    const { status, body } = await gateway.send('GET', '/docs/nothing', { key: '' });
    expect([status, body['type']]).toEqual([404, 'not_found']);
    expect((await gateway.send('POST', '/docs', { key: '' })).status).toBe(405);
  });
});
