/**
 * The order of one service's events, beside the server that holds them: the server's own places have gaps, and its
 * times are neither exact enough nor without ties. Part of the backup: given out anew, places and times would be others.
 */
export const tables = (schema: string): string => `
-- Each append's events hold the contiguous positions up to last_position. Written once, never changed: the primary key
-- is the fence, two processes cannot give out the same places.
CREATE TABLE ${schema}.placed (
  last_position bigint PRIMARY KEY,
  event_count smallint NOT NULL CHECK (event_count > 0),
  -- Microseconds since 1970 of the append's first event; each next event is one microsecond later.
  recorded_at bigint NOT NULL,
  stream text COLLATE "C" NOT NULL,
  last_revision int NOT NULL,
  -- Where the server has the append's last event.
  commit_position bigint NOT NULL,
  prepare_position bigint NOT NULL,
  -- A server that tells of the same events again is not the one that was followed.
  UNIQUE (stream, last_revision)
);

-- How far the server's order was looked through: behind this there is nothing of the service that has no place.
CREATE TABLE ${schema}.looked_through (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  commit_position bigint NOT NULL,
  prepare_position bigint NOT NULL
);`;
