import { accept, assertNever, type Decider } from '@causeway/event-sourcing';
import { paymentsMax, type BookedPayment, type BookingEvent } from './ledger.events.ts';

type DataOf<T extends BookingEvent['type']> = Extract<BookingEvent, { type: T }>['data'];

export type BookingCommand =
  | Readonly<{ type: 'RecordProgress'; data: DataOf<'StatementProgressed'> }>
  | Readonly<{ type: 'SetAside'; data: DataOf<'StatementSetAside'> }>
  | Readonly<{ type: 'FinishBooking'; data: DataOf<'StatementBooked'>; payments: readonly BookedPayment[] }>;

const paymentsBooked = ({ data, payments }: Extract<BookingCommand, { type: 'FinishBooking' }>): BookingEvent[] => {
  const { connectionId, runId } = data;
  return Array.from({ length: Math.ceil(payments.length / paymentsMax) }, (_, n) => {
    const slice = payments.slice(n * paymentsMax, (n + 1) * paymentsMax);
    return { type: 'PaymentsBooked', data: { connectionId, runId, payments: slice } };
  });
};

export type RunBooking = Readonly<{ booked: boolean; setAside: boolean; bytes: number }>;

/**
 * How the booking of a run of that connection goes on, for those who wait for it. Each is said once, and nothing after
 * that it is booked. What was said of another's under the same id is passed over.
 */
export const runBooking = (connectionId: string): Decider<RunBooking, BookingCommand, BookingEvent, never> => ({
  initial: { booked: false, setAside: false, bytes: 0 },
  decide: (run, command) => {
    if (run.booked) return accept();
    switch (command.type) {
      case 'RecordProgress':
        return command.data.bytes <= run.bytes ? accept() : accept({ type: 'StatementProgressed', data: command.data });
      case 'SetAside':
        return run.setAside ? accept() : accept({ type: 'StatementSetAside', data: command.data });
      case 'FinishBooking':
        return accept(...paymentsBooked(command), { type: 'StatementBooked', data: command.data });
      default:
        return assertNever(command);
    }
  },
  evolve: (run, event) => {
    if (event.data.connectionId !== connectionId) return run;
    switch (event.type) {
      case 'StatementProgressed':
        return { ...run, bytes: event.data.bytes };
      case 'StatementSetAside':
        return { ...run, setAside: true };
      case 'PaymentsBooked':
        return run;
      case 'StatementBooked':
        return { ...run, booked: true };
      default:
        return assertNever(event);
    }
  },
});
