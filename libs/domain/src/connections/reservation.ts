import { accept, assertNever, reject, type Decider, type Decision } from '@causeway/event-sourcing';
import type { ReservationEvent } from './reservation.events.ts';

/** `reservationId`: a keyed hash of the name. */
export type ReservationCommand = Readonly<{ reservationId: string; holderId: string; at: string }> &
  (Readonly<{ type: 'ClaimName' }> | Readonly<{ type: 'ReleaseName' }>);

/** Who has it. The holder may not exist yet: its request may still run, or have died after the claim. */
export type ReservationRejection = Readonly<{ code: 'taken'; holderId: string }>;

export type Reservation = Readonly<{ holderId: string | null }>;

const decide = (
  { holderId }: Reservation,
  command: ReservationCommand,
): Decision<ReservationEvent, ReservationRejection> => {
  switch (command.type) {
    case 'ClaimName':
      if (holderId === command.holderId) return accept();
      if (holderId !== null) return reject({ code: 'taken', holderId });
      return accept({ type: 'NameClaimed', data: { holderId: command.holderId, claimedAt: command.at } });
    case 'ReleaseName':
      // Only the holder's: a release that comes late must not free the name under its next holder.
      if (holderId !== command.holderId) return accept();
      return accept({ type: 'NameReleased', data: { holderId, releasedAt: command.at } });
    default:
      return assertNever(command);
  }
};

const evolve = (_: Reservation, event: ReservationEvent): Reservation => {
  switch (event.type) {
    case 'NameClaimed':
      return { holderId: event.data.holderId };
    case 'NameReleased':
      return { holderId: null };
    default:
      return assertNever(event);
  }
};

export const reservation: Decider<Reservation, ReservationCommand, ReservationEvent, ReservationRejection> = {
  initial: { holderId: null },
  decide,
  evolve,
};
