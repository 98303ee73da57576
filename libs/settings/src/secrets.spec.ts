import { secretRing } from './secrets.ts';
import { SettingInvalid } from './settings.ts';

const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const ring = (text: string) => secretRing({ CAUSEWAY_BUS_SECRET: text }, 'CAUSEWAY_BUS_SECRET');

test.each([
  ['a bare one', a.toString('hex'), [{ id: '1', key: a }]],
  ['base64', a.toString('base64'), [{ id: '1', key: a }]],
  ['one with an id', `2026-11:${a.toString('base64')}`, [{ id: '2026-11', key: a }]],
  [
    'two, the newest first',
    `b:${b.toString('hex')}, ${a.toString('hex')}`,
    [
      { id: 'b', key: b },
      { id: '1', key: a },
    ],
  ],
])('%s is read', (_, text, read) => {
  expect(ring(text)).toEqual(read);
});

test.each([
  ['nothing', '', /^CAUSEWAY_BUS_SECRET must be set$/],
  ['one that is too short', `old:${'07'.repeat(31)}`, /^CAUSEWAY_BUS_SECRET old must be 32 bytes/],
  ['one that is no key', 'secret', /^CAUSEWAY_BUS_SECRET 1 must be 32 bytes/],
  ['an id that is none', `a b:${a.toString('hex')}`, /^CAUSEWAY_BUS_SECRET has an id/],
  ['an empty id', `:${a.toString('hex')}`, /^CAUSEWAY_BUS_SECRET has an id/],
  ['an id twice', `x:${a.toString('hex')},x:${b.toString('hex')}`, /two keys of the id x/],
])('%s is refused, by name and id, and not shown', (_, text, message) => {
  expect(() => ring(text)).toThrow(SettingInvalid);
  expect(() => ring(text)).toThrow(message);
  expect(() => ring(text)).not.toThrow(/0707|secret:/);
});
