import type { AllStreamRecordedEvent } from '@eventstore/db-client';
import { gatherer, type Gathered } from './gather.ts';
import { placeholder } from './held.ts';

/** As the server gives it; positions have gaps. */
const event = (at: number, streamId: string, revision: number, metadata?: object, type = 'Counted') =>
  ({
    streamId,
    revision: BigInt(revision),
    type,
    metadata,
    position: { commit: BigInt(at), prepare: BigInt(at) },
  }) as AllStreamRecordedEvent;
const part = (index: number, count: number): object => ({ index, count });

const gathered = (events: readonly AllStreamRecordedEvent[]): string[] => {
  const { take } = gatherer('ledger.');
  return events
    .map(take)
    .filter((append): append is Gathered => append !== undefined)
    .map(({ stream, lastRevision, count, at }) => `${stream}@${lastRevision} x${count} at ${at.commit}`);
};

test.each([
  ['an append of one is whole at once', [event(7, 'ledger.a-1', 0, part(0, 1))], ['a-1@0 x1 at 7']],
  [
    'an append is whole with its last event, and stands where that does',
    [
      event(7, 'ledger.a-1', 4, part(0, 3)),
      event(9, 'ledger.a-1', 5, part(1, 3)),
      event(12, 'ledger.a-1', 6, part(2, 3)),
    ],
    ['a-1@6 x3 at 12'],
  ],
  [
    'others’ events, and those of a namespace that begins alike, are passed over',
    [event(1, '$settings', 0), event(2, 'ledgers.a-1', 0, part(0, 1)), event(3, 'ledger.a-1', 0, part(0, 1))],
    ['a-1@0 x1 at 3'],
  ],
  [
    'a tombstone is no event of the stream',
    [event(1, 'ledger.a-1', 0, part(0, 1)), event(2, 'ledger.a-1', 2 ** 53, undefined, '$streamDeleted')],
    ['a-1@0 x1 at 1'],
  ],
  [
    'what holds the place of a stream that never had an event is none either',
    [event(1, 'ledger.a-1', 0, undefined, placeholder), event(2, 'ledger.b-1', 0, part(0, 1))],
    ['b-1@0 x1 at 2'],
  ],
  [
    'a beginning that a dying server left without an end counts for nothing',
    [
      event(1, 'ledger.a-1', 0, part(0, 2)),
      event(5, 'ledger.b-1', 0, part(0, 1)),
      event(9, 'ledger.a-1', 0, part(0, 1)),
    ],
    ['b-1@0 x1 at 5', 'a-1@0 x1 at 9'],
  ],
  [
    'what something else wrote into a stream of ours is an append of its own',
    [event(1, 'ledger.a-1', 0), event(2, 'ledger.a-1', 1, { note: 'by hand' })],
    ['a-1@0 x1 at 1', 'a-1@1 x1 at 2'],
  ],
])('%s', (_, events, appends) => {
  expect(gathered(events)).toEqual(appends);
});

test('the middle of an append that did not begin is a fault, never half an append', () => {
  const { take } = gatherer('ledger.');
  expect(() => take(event(3, 'ledger.a-1', 1, part(1, 3)))).toThrow('ledger.a-1@1');
});

test('nothing counts as passed while an append is not whole', () => {
  const { take, isOpen } = gatherer('ledger.');
  expect(isOpen()).toBe(false);
  take(event(1, 'ledger.a-1', 0, part(0, 2)));
  expect(isOpen()).toBe(true);
  take(event(2, 'ledger.a-1', 1, part(1, 2)));
  expect(isOpen()).toBe(false);
});
