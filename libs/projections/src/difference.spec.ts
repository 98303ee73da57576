import { changedFields, differenceOf, type Past } from './difference.ts';

const past = (row: Past['row'], ...versions: Past['versions']): Past => ({ row, versions });

describe('the fields of a row that differ', () => {
  const rules: Readonly<Record<string, [before: object, after: object, fields: object]>> = {
    'are those with other values': [{ a: '1', b: null }, { a: '2', b: null }, { a: ['1', '2'] }],
    'are taken from its JSON, member by member': [
      { json: '{"amount":"1.00","status":"posted"}', eventId: 'e' },
      { json: '{"amount":"2.00","status":"posted"}', eventId: 'f' },
      { eventId: ['e', 'f'], amount: ['1.00', '2.00'] },
    ],
    'are none where only the order of members is another': [{ json: '{"a":1,"b":2}' }, { json: '{"b":2,"a":1}' }, {}],
    'are none where a member is merely added': [{ json: '{"a":1}' }, { json: '{"a":1,"b":2}' }, {}],
    'are none where a member of a member is': [{ json: '{"a":{"x":1}}' }, { json: '{"a":{"x":1,"y":2}}' }, {}],
    'tell an amount written otherwise, as clients see it': [{ a: '1.0' }, { a: '1.00' }, { a: ['1.0', '1.00'] }],
    'tell a list that grew': [{ a: ['x'] }, { a: ['x', 'y'] }, { a: [['x'], ['x', 'y']] }],
    'are the texts where one is no JSON any more': [{ json: '{"a":1}' }, { json: 'x' }, { json: ['{"a":1}', 'x'] }],
    'tell what became null': [{ json: '{"a":1}' }, { json: '{"a":null}' }, { a: [1, null] }],
  };
  test.each(Object.entries(rules))('%s', (_rule, [before, after, fields]) => {
    expect(changedFields({ ...before }, { ...after }, 'json')).toEqual(fields);
  });
});

describe('a row of two generations', () => {
  const [old, recent] = [
    { a: '1', supersededAt: '2026-01-01T00:00:00.000000Z' },
    { a: '2', supersededAt: '2026-01-02T00:00:00.000000Z' },
  ];
  const rules: Readonly<Record<string, [before: Past, after: Past, difference: object | undefined]>> = {
    'is alike': [past({ a: '1' }, old), past({ a: '1' }, old), undefined],
    'is added, with all that it shows': [
      past(undefined),
      past({ json: '{"a":1,"b":null}', id: 'x' }),
      { change: 'added', fields: { a: [null, 1] } },
    ],
    'is removed': [past({ a: '1' }, old), past(undefined), { change: 'removed', fields: { a: ['1', null] } }],
    'has changed': [past({ a: '1' }), past({ a: '2' }), { change: 'changed', fields: { a: ['1', '2'] } }],
    'has another past alone': [
      past({ a: '3' }, old, recent),
      past({ a: '3' }, old, { ...recent, a: '7' }),
      { change: 'changed', fields: { history: [[recent], [{ ...recent, a: '7' }]] } },
    ],
    'has lost a version': [
      past({ a: '3' }, old, recent),
      past({ a: '3' }, recent),
      { change: 'changed', fields: { history: [[old], []] } },
    ],
  };
  test.each(Object.entries(rules))('%s', (_rule, [before, after, difference]) => {
    expect(differenceOf(before, after, 'json')).toEqual(difference);
  });
});
