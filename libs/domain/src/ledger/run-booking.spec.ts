import { deciderSpec } from '@causeway/event-sourcing/testing';
import type { BookingEvent } from './ledger.events.ts';
import { runBooking, type BookingCommand } from './run-booking.ts';

const run = { connectionId: 'c-1', runId: 'r-1' };
const outcome = { ...run, changes: 2, refused: [], missing: 0 };
const progress = (bytes: number) => ({ type: 'RecordProgress', data: { ...run, bytes } }) as const;
const progressed = (bytes: number): BookingEvent => ({ type: 'StatementProgressed', data: { ...run, bytes } });
const setAside: BookingCommand = { type: 'SetAside', data: run };
const wasSetAside: BookingEvent = { type: 'StatementSetAside', data: run };
const payment = (n: number) => ({ accountId: 'a-1', transactionId: `x-${n}`, reference: `r-${n}` });
const finish: BookingCommand = { type: 'FinishBooking', data: outcome, payments: [] };
const paid = (from: number, to: number): BookingEvent => ({
  type: 'PaymentsBooked',
  data: { ...run, payments: Array.from({ length: to - from }, (_, n) => payment(from + n)) },
});
const booked: BookingEvent = { type: 'StatementBooked', data: outcome };

describe('the booking of a run', () =>
  deciderSpec(runBooking(run.connectionId), {
    'tells how far it is': { given: [progressed(4)], when: progress(8), then: [progressed(8)] },
    'tells no way back': { given: [progressed(8)], when: progress(8), then: [] },
    'tells that a message was set aside': { given: [progressed(4)], when: setAside, then: [wasSetAside] },
    'tells so once, however many there are': { given: [wasSetAside], when: setAside, then: [] },
    'ends, also after a message of it was set aside': { given: [wasSetAside], when: finish, then: [booked] },
    'tells the payments that it shows before it ends, 500 at a time': {
      given: [],
      when: { ...finish, payments: Array.from({ length: 501 }, (_, n) => payment(n)) },
      then: [paid(0, 500), paid(500, 501), booked],
    },
    'ends once': { given: [booked], when: finish, then: [] },
    'ends, whatever was said of another’s': {
      given: [{ type: 'StatementBooked', data: { ...outcome, connectionId: 'c-2' } }],
      when: finish,
      then: [booked],
    },
    'says nothing after its end': { given: [booked], when: setAside, then: [] },
  }));
