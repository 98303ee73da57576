/**
 * What can have happened to a name that one thing may hold at a time: an `externalEntityId`, or an entity's place at an
 * institution. The stream's name is a keyed hash of it. On disk for good: add a case; never change one.
 */
export type ReservationEvent =
  | Readonly<{ type: 'NameClaimed'; data: Readonly<{ holderId: string; claimedAt: string }> }>
  | Readonly<{ type: 'NameReleased'; data: Readonly<{ holderId: string; releasedAt: string }> }>;
