import { webhookEventTypes } from '@causeway/contracts';
import { apiScopes } from '@causeway/domain/gateway';
import { problems } from '@causeway/http';
import { examples } from '../openapi/errors.ts';
import { webhookEvents } from '../openapi/events.ts';
import { guides } from './guides.ts';

const guide = (name: string): string => guides.find((one) => one.name === name)?.markdown ?? '';

/** What each section of the guide of errors begins with. */
const told = new Map(
  [...guide('errors').matchAll(/^## (\w+)\n\nStatus (\d+)[^]*?(?=^## |$(?![^]))/gm)].map(
    ([section, type = '', status]) => [type, { status: Number(status), section }],
  ),
);
const answered = [...Object.values(examples), ...Object.values(problems)];

test('every error is told, and no other', () => {
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

test('every scope is told', () => {
  expect(apiScopes.filter((scope) => !guide('authentication').includes(`\`${scope}\``))).toEqual([]);
});

test('every event is told, and what its data holds', () => {
  expect(webhookEventTypes.filter((type) => !guide('webhooks').includes(`\`${type}\``))).toEqual([]);
  const schemas = JSON.stringify(webhookEvents());
  const members = [...schemas.matchAll(/"data":\{"type":"object","required":(\[[^\]]*\])/g)];
  expect(members).not.toHaveLength(0);
  const all = members.flatMap(([, names]) => JSON.parse(names as string) as string[]);
  expect(all.filter((name) => !guide('webhooks').includes(`\`${name}\``))).toEqual([]);
});
