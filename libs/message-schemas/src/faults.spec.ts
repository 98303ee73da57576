import * as contracts from '@causeway/contracts';
import { messageFault, replyFault } from './faults.ts';

const id = '0190b3a0-0000-7000-8000-000000000001';
const scope = { organization: 'demo', environment: 'test' } as const;
const completedAt = '2026-03-01T10:00:00.000Z';
const completed = { ...scope, entityId: id, connectionId: id, runId: id, changes: 3, completedAt };
const part = {
  ...{ ...scope, entityId: id, connectionId: id, accountId: id, currency: 'USD', runId: id, run: 1 },
  ...{ connector: 'sandbox', page: 0, part: 0, parts: 1, bankDay: '2026-03-01' },
};

const without = (field: keyof typeof completed): object =>
  Object.fromEntries(Object.entries(completed).filter(([name]) => name !== field));

test('there is a schema for every contract', () => {
  const types = Object.values(contracts).flatMap((value) =>
    typeof value === 'object' && 'keyOf' in value ? [value.type] : [],
  );
  expect(types.length).toBeGreaterThan(10);
  for (const type of types) expect(messageFault(type)({ data: { none: true } })).not.toBeUndefined();
  expect(() => messageFault('shop.order.v1')).toThrow('shop.order.v1');
});

test.each<[string, object, string | undefined]>([
  ['as the contract says', completed, undefined],
  ['with a field that a later one has', { ...completed, more: 1 }, undefined],
  ['without a field', without('runId'), "it must have required property 'runId'"],
  ['with an id that is none', { ...completed, runId: 'r-1' }, 'runId must match format "uuid"'],
  ['with null for a text', { ...completed, entityId: null }, 'entityId must be string'],
  ['with a part of a change', { ...completed, changes: 1.5 }, 'changes must be integer'],
  ['with less than none', { ...completed, changes: -1 }, 'changes must be >= 0'],
  ['with a time that is none', { ...completed, completedAt: '2026-02-30T10:00:00Z' }, 'completedAt must match format'],
  ['with another environment', { ...completed, environment: 'dev' }, 'environment must be equal to one of'],
])('an event %s', (_, data, fault) => {
  const found = messageFault(contracts.syncCompleted.type)({ data });
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(fault);
});

test('a day that there is not is none', () => {
  const faultOf = messageFault(contracts.statementPart.type);
  const days = ['2028-02-29', '2026-02-29', '2026-13-01', '2026-03-01T10:00:00Z'];
  const faults = days.map((bankDay) => faultOf({ data: { ...part, bankDay } })?.split(' ')[0]);
  expect(faults).toEqual([undefined, 'bankDay', 'bankDay', 'bankDay']);
});

test('a field deep inside is named by its path', () => {
  const booked = { ...scope, connectionId: id, runId: id, changes: 0, missing: 0, parked: false };
  const refused = [
    { accountId: id, page: 0, reason: 'no' },
    { accountId: id, page: 'first', reason: 'no' },
  ];
  expect(messageFault(contracts.statementBooked.type)({ data: { ...booked, refused } })).toContain(
    'refused.1.page must',
  );
});

test('a reply is the data of its contract, or a problem', () => {
  const faultOf = replyFault(contracts.redeliverSince.type);
  expect(faultOf({ ok: true, data: { queued: 2 } })).toBeUndefined();
  expect(
    faultOf({ ok: false, problem: { status: 404, type: 'not_found', message: 'There is none.' } }),
  ).toBeUndefined();
  expect(faultOf({ ok: true, data: { queued: '2' } })).toBe('data.queued must be integer');
});
