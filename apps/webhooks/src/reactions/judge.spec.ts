import { verdict } from './judge.ts';

const result = (gone: boolean, failingSince: string | null) => ({
  endpointId: 'w-1',
  organization: 'demo',
  environment: 'test' as const,
  gone,
  failingSince,
});
const now = '2026-03-06T10:00:00.000Z';

test.each([
  ['a receiver that said that it is gone is disabled', result(true, now), 'gone'],
  ['one that has failed for five days is disabled', result(false, '2026-03-01T10:00:00.000Z'), 'failing'],
  ['one that has failed for less is not', result(false, '2026-03-01T10:00:00.001Z'), undefined],
  ['one that answers is not', result(false, null), undefined],
])('%s', (_rule, given, expected) => expect(verdict(given, now)).toBe(expected));
