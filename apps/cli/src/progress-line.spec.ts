import { doneLine, progressLine } from './progress-line.ts';

const base = { name: 'transactions', state: 'building', events: 250_000, total: 1_000_000, done: 250_000, seconds: 5 };

test.each([
  [base, 'transactions: 250,000 of 1,000,000 events, 50,000/s, 15 s left'],
  [{ ...base, seconds: 50 }, 'transactions: 250,000 of 1,000,000 events, 5,000/s, 2 min 30 s left'],
  [{ ...base, done: 50_000 }, 'transactions: 250,000 of 1,000,000 events, 10,000/s, 1 min 15 s left'],
  [{ ...base, events: 0, done: 0, seconds: 0 }, 'transactions: 0 of 1,000,000 events, 0/s'],
  [{ ...base, state: 'indexing', events: 1_000_000 }, 'transactions: indexing, 1,000,000 of 1,000,000 events'],
])('tells how far a rebuild is: %#', (progress, line) => {
  expect(progressLine(progress)).toBe(line);
});

test('tells how long a rebuild took', () => {
  expect(doneLine({ name: 'transactions', done: 1_000_000, seconds: 20 })).toBe(
    'transactions: 1,000,000 events in 20 s, 50,000/s',
  );
});
