import { migration, type Migration } from '@causeway/postgres';
import { webhookDeliveriesView } from '@causeway/read-models';
import { claimFunction } from './claim.ts';

const tables = `
-- What a delivery needs of a registration, folded from its stream up to revision.
CREATE TABLE webhooks.endpoint (
  id uuid PRIMARY KEY,
  organization text NOT NULL,
  environment text NOT NULL,
  url text NOT NULL,
  host text NOT NULL GENERATED ALWAYS AS (substring(url FROM '^https?://([^/?#]*)')) STORED,
  events text[] NOT NULL,
  sealed_secret bytea NOT NULL,
  -- Those that still sign, newest first: { sealedSecret (base64), until }.
  old_secrets jsonb NOT NULL DEFAULT '[]',
  active boolean NOT NULL,
  registered_at timestamptz NOT NULL,
  revision bigint NOT NULL,
  -- Since when every attempt has failed. Null: the last one that ended was answered well, or there was none.
  failing_since timestamptz,
  -- Attempts at once, over all processes. Twice as many after each answer in time, up to 32. 2: the last attempt failed, or
  -- was answered late; then they share a lane with others of that kind.
  room int NOT NULL DEFAULT 4
);
CREATE INDEX endpoint_active ON webhooks.endpoint (organization, environment) WHERE active;

-- What receivers are told. The body is kept as text: an id always carries the same bytes.
CREATE TABLE webhooks.notification (
  id text PRIMARY KEY,
  type text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  -- The request that it all began with, and the event that is told of: for whoever traces one.
  correlation_id text,
  event_id uuid
);
CREATE INDEX notification_age ON webhooks.notification (created_at);

-- subject: deliveries of one endpoint and subject are first tried in the order of their ids.
-- created_at: of the notification. attempts_before: the schedule was begun anew after so many.
-- claimed_until: a process is sending it and renews the claim, or was stopped while it did.
CREATE TABLE webhooks.delivery (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  notification_id text NOT NULL REFERENCES webhooks.notification ON DELETE CASCADE,
  endpoint_id uuid NOT NULL REFERENCES webhooks.endpoint ON DELETE CASCADE,
  subject text NOT NULL,
  created_at timestamptz NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'exhausted')),
  attempts integer NOT NULL DEFAULT 0,
  attempts_before integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  claimed_until timestamptz,
  UNIQUE (endpoint_id, notification_id)
);
CREATE INDEX delivery_due ON webhooks.delivery (endpoint_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX delivery_claimed ON webhooks.delivery (endpoint_id, claimed_until)
 WHERE status = 'pending' AND claimed_until IS NOT NULL;
CREATE INDEX delivery_in_order ON webhooks.delivery (endpoint_id, subject, id) WHERE status = 'pending';
CREATE INDEX delivery_of_notification ON webhooks.delivery (notification_id);
CREATE INDEX delivery_log ON webhooks.delivery (endpoint_id, created_at, notification_id);
CREATE INDEX delivery_undelivered ON webhooks.delivery (endpoint_id, status, created_at, notification_id)
 WHERE status <> 'delivered';

-- Written before the sending: an attempt without an outcome is one whose process was stopped. Nobody knows how it ended.
CREATE TABLE webhooks.attempt (
  delivery_id bigint NOT NULL REFERENCES webhooks.delivery ON DELETE CASCADE,
  number integer NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  status_code integer,
  duration_ms integer,
  error text,
  PRIMARY KEY (delivery_id, number)
);
${claimFunction}
${webhookDeliveriesView((name) => `webhooks.${name}`).join(';\n')}`;

/** After `readModelsMigrations`: what the gateway shows of deliveries is a view of these very tables. */
export const deliveryMigrations: readonly Migration[] = [migration('Deliveries1767225600000', tables)];
