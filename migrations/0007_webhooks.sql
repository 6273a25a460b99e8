-- Events and the outbox of their deliveries (contract, "Webhooks"), partitioned by month (ADR 0062). `event_record`
-- writes an event and one delivery
-- for each endpoint that wants it, in the transaction of what happened.
--
-- A loop in the worker starts the workflow `webhook/<event>/<endpoint>` of each delivery, and the workflow tries. The
-- workflow holds ids only; the encrypted body is stored here until it was delivered or given up.
--
--   delivery: pending → delivered | failed (every attempt) | gone (410, or the endpoint was removed).

-- migrate:up

CREATE TABLE events (
  event_id    text PRIMARY KEY CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
  type        text NOT NULL CHECK (type ~ '^[a-z_]+[.][a-z_]+$'),
  agent_id    text,
  data        jsonb NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (event_id);
COMMENT ON COLUMN events.data IS
  'What everybody in the audience may know: ids, amounts, states and times; no bodies and no secrets';
CREATE INDEX events_age ON events (created_at);
SELECT partition_setup('events');

CREATE TABLE webhooks (
  webhook_id       text PRIMARY KEY CHECK (webhook_id ~ '^whk_[0-9a-f]{32}$'),
  user_id          text NOT NULL REFERENCES users,
  types            text[] NOT NULL CHECK (cardinality(types) > 0),
  agent_id         text REFERENCES agents,
  sealed           bytea NOT NULL,
  disabled_at      timestamptz,
  disabled_reason  text CHECK (disabled_reason IN ('owner', 'gone')),
  created_at       timestamptz NOT NULL DEFAULT now(),
  updated_at       timestamptz NOT NULL DEFAULT now(),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
COMMENT ON COLUMN webhooks.sealed IS
  'Envelope-encrypted {url, secrets: [{secret, until_ms}]}; the context is the webhook id';
CREATE INDEX webhooks_user ON webhooks (user_id, webhook_id DESC);
CREATE INDEX webhooks_agent ON webhooks (agent_id) WHERE agent_id IS NOT NULL;

CREATE TABLE webhook_deliveries (
  delivery_id    text PRIMARY KEY CHECK (delivery_id ~ '^whd_[0-9a-f]{32}$'),
  event_id       text NOT NULL CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
  endpoint_kind  text NOT NULL CHECK (endpoint_kind IN ('a2a_push', 'webhook')),
  endpoint_id    text NOT NULL,
  account        text NOT NULL DEFAULT 'unknown',
  subject_id     text NOT NULL,
  subject_seq    integer,
  payload        bytea,
  state          text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'gone')),
  attempts       integer NOT NULL DEFAULT 0,
  last_status    integer,
  last_error     text,
  claimed_at     timestamptz,
  started_at     timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  finished_at    timestamptz,
  round          integer NOT NULL DEFAULT 0 CHECK (round >= 0),
  requested      boolean NOT NULL DEFAULT false,
  CONSTRAINT webhook_deliveries_end CHECK ((state = 'pending') = (finished_at IS NULL)),
  CONSTRAINT webhook_deliveries_requested CHECK (state = 'pending' OR NOT requested),
  CONSTRAINT webhook_deliveries_forgotten CHECK (state = 'pending' OR payload IS NULL)
) PARTITION BY RANGE (delivery_id);
-- (event_id, endpoint_id) is unique in each partition (partition_finish); one transaction makes an event with all its
-- deliveries.
COMMENT ON COLUMN webhook_deliveries.payload IS
  'Envelope-encrypted body, made before the first attempt; the context is the delivery id';
COMMENT ON COLUMN webhook_deliveries.account IS
  'Whose turns its attempts use: the owner of the webhook, or the buyer of the task; empty in deliveries of earlier releases';
COMMENT ON COLUMN webhook_deliveries.round IS 'How often the delivery was requested again; each round has its own workflow';
COMMENT ON COLUMN webhook_deliveries.requested IS 'The owner requested it by hand, and no attempt was made since';
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (created_at)
  WHERE started_at IS NULL AND state = 'pending';
-- In an order that no other index has, so that the claim cannot read all deliveries by the primary key instead.
CREATE INDEX webhook_deliveries_waiting_account ON webhook_deliveries (account, delivery_id COLLATE "C")
  WHERE started_at IS NULL AND state = 'pending';
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, delivery_id DESC);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (endpoint_id, state, delivery_id DESC);
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX webhook_deliveries_requested ON webhook_deliveries (endpoint_id) WHERE requested;
CREATE INDEX webhook_deliveries_first ON webhook_deliveries (account)
  WHERE state = 'pending' AND attempts = 0 AND started_at IS NOT NULL;
SELECT partition_setup('webhook_deliveries');

CREATE TABLE webhook_attempts (
  delivery_id  text NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
  attempt      integer NOT NULL,
  at           timestamptz NOT NULL DEFAULT now(),
  status       integer,
  error        text,
  duration_ms  integer NOT NULL,
  PRIMARY KEY (delivery_id, attempt)
);

-- Events for the event streams of accounts (`GET /v1/events/stream`, ADR 0120). `event_record` writes a row for each
-- account of the audience that follows its events: one that has an open stream, or had one within the last day. Other
-- accounts cost nothing.
--
-- `event_order` gives each committed row its position, in one transaction at a time. So positions become visible in
-- their order, and a reader that continues behind a position misses nothing. A position is a time in microseconds since
-- 1970, and rows are deleted by it.
CREATE TABLE event_followers (
  user_id  text PRIMARY KEY,
  since    bigint NOT NULL,
  until    timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON COLUMN event_followers.since IS 'A position: no later event of the account is missing';
CREATE INDEX event_followers_until ON event_followers (until);

CREATE TABLE event_inbox (
  user_id   text NOT NULL,
  event_id  text NOT NULL CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
  position  bigint CHECK (position > 0),
  PRIMARY KEY (user_id, event_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
COMMENT ON COLUMN event_inbox.position IS 'Null until event_order has found the row';
CREATE INDEX event_inbox_new ON event_inbox (event_id) WHERE position IS NULL;
CREATE UNIQUE INDEX event_inbox_positions ON event_inbox (position) WHERE position IS NOT NULL;
CREATE INDEX event_inbox_account ON event_inbox (user_id, position) WHERE position IS NOT NULL;

GRANT SELECT ON events TO market_app;
GRANT SELECT, INSERT, DELETE, UPDATE (types, agent_id, sealed, disabled_at, disabled_reason, updated_at)
  ON webhooks TO market_app;
GRANT SELECT, INSERT, UPDATE ON webhook_deliveries TO market_app;
GRANT SELECT, INSERT ON webhook_attempts TO market_app;
GRANT SELECT ON event_followers, event_inbox TO market_app;

-- migrate:down

DROP TABLE event_inbox;
DROP TABLE event_followers;
DROP TABLE webhook_attempts;
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
DROP TABLE events;
