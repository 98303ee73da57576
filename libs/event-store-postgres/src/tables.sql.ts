/**
 * One append is one row and one ciphertext: a decryption costs about 5 µs however small the value, so that one for each
 * of a million events would be most of a rebuild. Rows are keyed by their last revision, as `expected` and `after` are
 * asked for by it.
 */
export const tables = (schema: string): string => `
CREATE TABLE ${schema}.append (
  stream text COLLATE "C" NOT NULL,
  last_revision int NOT NULL,
  event_count smallint NOT NULL CHECK (event_count > 0),
  data_key uuid,
  appended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  event_ids uuid[] NOT NULL,
  metadata json NOT NULL,
  -- JSON, a list of {type, data}, packed; a ciphertext of that where data_key is set.
  payload bytea NOT NULL,
  PRIMARY KEY (stream, last_revision)
);
-- Neither what is packed nor random ids can be compressed; trying costs more than writing them.
ALTER TABLE ${schema}.append ALTER payload SET STORAGE EXTERNAL, ALTER event_ids SET STORAGE EXTERNAL;

-- Streams that are gone for good, and how many events each held.
CREATE TABLE ${schema}.erased_stream (stream text COLLATE "C" PRIMARY KEY, event_count int NOT NULL);

-- Appends that have no position yet. n is given while the stream is locked, so it agrees with the order of each stream.
-- An append that commits late is found here late, and is given a later position: nothing can be passed over.
CREATE TABLE ${schema}.unsequenced (
  n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  stream text COLLATE "C" NOT NULL,
  last_revision int NOT NULL,
  event_count smallint NOT NULL
);
-- Every row lives for milliseconds: vacuum by count of dead rows, not by share, and without pauses.
ALTER TABLE ${schema}.unsequenced SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 1000000000);

-- The total order: each append's events hold the contiguous positions up to last_position. Written once, never changed:
-- the primary key is the fence, two sequencers cannot give out the same places.
CREATE TABLE ${schema}.sequenced (
  last_position bigint PRIMARY KEY,
  event_count smallint NOT NULL,
  -- Microseconds since 1970 of the append's first event; each next event is one microsecond later.
  recorded_at bigint NOT NULL,
  stream text COLLATE "C" NOT NULL,
  last_revision int NOT NULL
);`;

/**
 * For whoever traces a request: which stretches of the table hold something of it. Of all kinds of index the one that
 * costs a writer least, and a hundredth of the table's size.
 */
export const correlationIndex = (schema: string): string => `
CREATE INDEX append_correlation ON ${schema}.append USING brin ((metadata ->> 'correlationId') text_bloom_ops)
  WITH (autosummarize = on);`;
