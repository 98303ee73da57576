import { migration, type Migration } from '@causeway/postgres';

const tables = `
-- How far a run's own stream has been dealt with: the pages up to revision are in kept_page.
CREATE TABLE connections.sync_run (
  run_id uuid PRIMARY KEY,
  connection_id uuid NOT NULL,
  -- The next page's number, and how many pages are whole: one that a crash cut off leaves its number unused.
  pages integer NOT NULL,
  whole_pages integer NOT NULL DEFAULT 0,
  revision bigint NOT NULL,
  -- Bytes of its whole pages as they cross the bus, and how many of them the ledger has booked or refused.
  sent_bytes bigint NOT NULL DEFAULT 0,
  booked_bytes bigint NOT NULL DEFAULT 0,
  -- A message of it is a dead letter.
  set_aside boolean NOT NULL DEFAULT false,
  -- What the bank lent for it, to be given back once all is booked.
  lent text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX ON connections.sync_run (connection_id);
-- The newest page of every range of an account, by its bytes: the same page again is not kept again.
-- Either the days or the name are set.
CREATE TABLE connections.kept_page (
  run_id uuid NOT NULL,
  page integer NOT NULL,
  connection_id uuid NOT NULL,
  account_id uuid NOT NULL,
  range_from date,
  range_to date,
  name text,
  sha256 text NOT NULL,
  PRIMARY KEY (run_id, page),
  CHECK ((range_from IS NULL) = (range_to IS NULL) AND (range_from IS NULL) <> (name IS NULL))
);
CREATE INDEX ON connections.kept_page (account_id, range_to);
CREATE INDEX ON connections.kept_page (connection_id);
-- Until when somebody can read what is synced. Null: no longer. No row: not known, which counts as usable.
CREATE TABLE connections.key_usability (
  organization text NOT NULL,
  environment text NOT NULL,
  usable_until timestamptz,
  position bigint NOT NULL,
  PRIMARY KEY (organization, environment)
)`;

/** What the service keeps for itself. Losing it costs a fetch, never a fact. Rows of runs go when their run ends. */
export const syncTables: readonly Migration[] = [migration('SyncTables1767225600000', tables)];
