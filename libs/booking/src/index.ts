export { bookingStream, causesOf, erasureStream, ledgerStream } from './account.ts';
export type { Account, Causes } from './account.ts';
export { appendChanges } from './append-changes.ts';
export type { Books, MappedPage } from './books.ts';
export { catchUp } from './catch-up.ts';
export { lockForBooking, lockForClosing, markClosed, unlessClosed } from './connection-lock.ts';
export { mapPage } from './map-page.ts';
export type { Mapping, Mappings } from './map-page.ts';
export { coveredSql, knownSql, readKnown, reusedSql, takenSql } from './read-index.ts';
