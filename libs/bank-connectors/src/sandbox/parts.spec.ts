import { wholePage } from '@causeway/domain/ledger';
import { partBytesMax, partRowsMax } from '../connector.ts';
import { mapPart } from './mapping.ts';
import { partsOf } from './parts.ts';

const day = '2025-06-02';
const pageOf = (count: number, narrativeLength = 10): Buffer =>
  Buffer.from(
    JSON.stringify({
      currency: 'USD',
      from: day,
      to: day,
      transactions: Array.from({ length: count }, (_, index) => ({
        bookingDate: day,
        amount: '1.00',
        channel: 'ach',
        typeCode: '142',
        id: String(index),
        text: 'Payment',
        narrative: 'x'.repeat(narrativeLength),
      })),
      closingBalances: [{ date: day, amount: '1.00' }],
    }),
  );

it('a page that fits is passed on untouched', () => {
  const page = pageOf(partRowsMax);
  const parts = partsOf(page, 'booked', partRowsMax);
  expect(parts).toHaveLength(1);
  expect(parts[0]).toBe(page);
});

it.each([
  [501, 10],
  [5_000, 10],
  [1_250, 10],
  [400, 5_000],
  [3, 400_000],
])('a page of %d rows of %d characters is sent in parts that fit and lose nothing', (count, length) => {
  const page = pageOf(count, length);
  const parts = partsOf(page, 'booked', count);
  expect(parts.every((part) => part.length <= partBytesMax)).toBe(true);
  expect(parts.every((part) => mapPart(part).rows.length <= partRowsMax)).toBe(true);
  expect(wholePage(parts.map(mapPart))).toEqual(mapPart(page));
});

it('a row that no part can hold makes the answer a bad one', () => {
  const page = pageOf(2, partBytesMax);
  expect(() => partsOf(page, 'booked', 2)).toThrow(expect.objectContaining({ kind: 'bad_answer' }) as Error);
});
