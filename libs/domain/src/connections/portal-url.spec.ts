import { normalizedPortalUrl } from './portal-url.ts';

test.each([
  ['the host is in lower case', 'https://Bank.Example/Login', 'https://bank.example/Login'],
  ['the default port goes', 'https://bank.example:443/login', 'https://bank.example/login'],
  ['another port stays', 'https://bank.example:8443/', 'https://bank.example:8443'],
  ['the fragment goes', 'https://bank.example/login#top', 'https://bank.example/login'],
  ['trailing slashes go', 'https://bank.example/login//', 'https://bank.example/login'],
  ['a bare host has none', 'https://bank.example/', 'https://bank.example'],
  ['the query stays', 'https://bank.example/?branch=7', 'https://bank.example?branch=7'],
])('%s', (_, text, normalized) => {
  expect(normalizedPortalUrl(text)).toBe(normalized);
});

test.each([
  ['http', 'http://bank.example'],
  ['another scheme', 'javascript:alert(1)'],
  ['one with a user', 'https://me@bank.example/login'],
  ['one with a password', 'https://:secret@bank.example/login'],
  ['no address at all', 'bank.example'],
  ['an endless one', `https://bank.example/${'a'.repeat(2048)}`],
])('%s is no portal', (_, text) => {
  expect(normalizedPortalUrl(text)).toBeUndefined();
});

test('normalizing again changes nothing', () => {
  const once = normalizedPortalUrl('https://Bank.Example:443/a//?x=1#f');
  expect(once).toBe('https://bank.example/a?x=1');
  expect(normalizedPortalUrl(once ?? '')).toBe(once);
});
