import { undocumented } from './documented.ts';

const id = '0198c1a2-0000-7000-8000-000000000000';
const meta = { requestId: 'r' };

test.each([
  ['is documented', 'PUT', 202, { connectionId: id, meta }, undefined],
  ['has a status that is not told', 'PUT', 299, {}, /299 is not documented/],
  ['lacks a member', 'PUT', 202, { connectionId: id }, /meta/],
  ['has a member more', 'PUT', 202, { connectionId: id, meta, more: 1 }, /additional properties/],
  ['has a member of another form', 'PUT', 202, { connectionId: 'x', meta }, /uuid/],
  [
    'is an error of a type that it does not have',
    'PUT',
    404,
    { type: 'conflict', message: '', requestId: null, details: null },
    /allowed values/,
  ],
  ['is of no operation', 'BREW', 200, {}, undefined],
])('an answer that %s', (_, method, status, body, said) => {
  const fault = undocumented(method, `/v1/connections/${id}/sync?a=1`, status, JSON.stringify(body));
  if (said === undefined) expect(fault).toBeUndefined();
  else expect(fault).toMatch(said);
});
