import { migration, type Migration } from '@causeway/postgres';

const identity = `
-- The identity index: a fold of each account's stream, cut down to what a page of a statement is compared with. Lost or
-- behind, it is filled again from the stream. Digests in place of what the bank wrote.
CREATE TABLE ledger.identity (
  account_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  -- The newest page that changed it, or that showed it on a day that it does not cover.
  place bigint NOT NULL,
  status text NOT NULL,
  bank_id text COLLATE "C",
  day date NOT NULL,
  posted_date date,
  -- As the bank wrote it: events tell what the amount was before.
  amount text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  narrative text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL,
  -- Of a counter-row: the transaction that it took back.
  reverses uuid,
  PRIMARY KEY (account_id, transaction_id)
);
-- One for each way a page names rows: by its days, by the bank's ids, as a pending one.
CREATE INDEX identity_day ON ledger.identity (account_id, day);
CREATE INDEX identity_bank_id ON ledger.identity (account_id, bank_id, status) WHERE bank_id IS NOT NULL;
CREATE INDEX identity_pending ON ledger.identity (account_id) WHERE status = 'pending';

-- Statistics hold samples, which outlast the rows: none of what the bank wrote.
ALTER TABLE ledger.identity ALTER bank_id SET STATISTICS 0, ALTER amount SET STATISTICS 0;

-- The revision that an account's index stands at, and whose it is.
CREATE TABLE ledger.identity_head (
  account_id uuid PRIMARY KEY,
  connection_id uuid NOT NULL,
  entity_id uuid NOT NULL,
  organization text NOT NULL,
  environment text NOT NULL,
  revision bigint NOT NULL
);
CREATE INDEX identity_head_connection ON ledger.identity_head (connection_id);

CREATE TABLE ledger.reported_balance (
  account_id uuid NOT NULL,
  date date NOT NULL,
  amount text NOT NULL,
  place bigint NOT NULL,
  PRIMARY KEY (account_id, date)
);
ALTER TABLE ledger.reported_balance ALTER amount SET STATISTICS 0;

-- The newest page of each day: those of one status do not overlap. Both ends are inclusive.
CREATE TABLE ledger.covered (
  account_id uuid NOT NULL,
  status text NOT NULL,
  from_day date NOT NULL,
  to_day date NOT NULL,
  place bigint NOT NULL,
  PRIMARY KEY (account_id, status, from_day)
);`;

const runs = `
-- A run that is not booked whole. By its connection too: what another's messages say of its id means another run. What its events changed is folded with the index, so each event counts once.
CREATE TABLE ledger.run (
  run_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  changes bigint NOT NULL DEFAULT 0,
  -- Of its pages that were booked or refused, as they came.
  bytes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, connection_id)
);
CREATE INDEX run_connection ON ledger.run (connection_id);

-- Pages that came whole. \`refusal\`: why nothing of it was booked.
CREATE TABLE ledger.run_page (
  run_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  page integer NOT NULL,
  account_id uuid NOT NULL,
  refusal text,
  PRIMARY KEY (run_id, connection_id, page)
);

-- Rows of the run that carry a payment's reference. Folded with the index, as what a run changed is.
CREATE TABLE ledger.run_payment (
  run_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  account_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  reference text NOT NULL,
  PRIMARY KEY (run_id, connection_id, transaction_id)
);

-- The parts of each page, until the run is booked. They are kept after the page was booked, since a part may be delivered again.
CREATE TABLE ledger.statement_part (
  run_id uuid NOT NULL,
  connection_id uuid NOT NULL,
  page integer NOT NULL,
  part integer NOT NULL,
  cipher bytea NOT NULL,
  PRIMARY KEY (run_id, connection_id, page, part)
);
ALTER TABLE ledger.statement_part ALTER cipher SET STORAGE EXTERNAL;

-- Connections of which nothing is booked any more.
CREATE TABLE ledger.closed_connection (connection_id uuid PRIMARY KEY);`;

const erasures = `
-- Balances of an erased connection that were deleted, counted as they were: afterwards nobody can tell.
CREATE TABLE ledger.erased_days (connection_id uuid PRIMARY KEY, days bigint NOT NULL);

-- How far each erasure is. \`receipt\`: once all is destroyed.
CREATE TABLE ledger.erasure (
  connection_id uuid PRIMARY KEY,
  requested_at timestamptz NOT NULL,
  key_destroyed_at timestamptz,
  receipt json
);`;

export const bookingMigrations: readonly Migration[] = [migration('Booking1767225600000', identity + runs + erasures)];
