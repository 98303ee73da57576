import { above, atMost, type Condition } from './query.ts';

/** Of the versions of a row the one that was shown at an instant. */
export const shownAt = (asOf: string | undefined): readonly Condition[] => [
  atMost('updated_at', 'timestamptz', asOf),
  above('superseded_at', 'timestamptz', asOf),
];

/** What made a row what it is, as a page of its history is selected. `eventId`: an expression. */
export const causeColumns = (eventId: string, unsaid: string): string =>
  `${eventId} AS "eventId", coalesce(cause, '${unsaid}') AS cause, reason, operator`;

export type Caused = Readonly<{ eventId: string; cause: string; reason: string | null; operator: string | null }>;

/** The text of one change. `name`: of the resource; `json`: its text. */
export const changeText = (
  { eventId, cause, reason, operator }: Caused,
  recordedAt: string,
  [name, json]: readonly [name: string, json: string],
): string => `${JSON.stringify({ eventId, recordedAt, cause, reason, operator }).slice(0, -1)},"${name}":${json}}`;
