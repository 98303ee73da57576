import { problems } from '@causeway/http';
import { examples } from '../openapi/errors.ts';
import { guides } from './guides.ts';

const errors = guides.find(({ name }) => name === 'errors')?.markdown ?? '';

/** What each section begins with. */
const told = new Map(
  [...errors.matchAll(/^## (\w+)\n\nStatus (\d+)[^]*?(?=^## |$(?![^]))/gm)].map(([section, type = '', status]) => [
    type,
    { status: Number(status), section },
  ]),
);
const answered = [...Object.values(examples), ...Object.values(problems)];

test('the guide tells every error there is, and no other', () => {
  const types = new Set(answered.map(({ type }) => type));
  expect([...told.keys()].toSorted()).toEqual([...types].toSorted());
});

test.each(answered.map(({ type, status }) => [type, status] as const))(
  '%s has its status %s, a cause and a mend',
  (type, status) => {
    expect(told.get(type)?.status).toBe(status);
    expect(told.get(type)?.section).toMatch(/^Mend|\| Mend/m);
  },
);
