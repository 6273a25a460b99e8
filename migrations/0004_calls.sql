-- Calls: one row per accepted call. The row has the answer's status; the money of the call is in its hold
-- (0002).
--
-- The table is partitioned by month (ADR 0062): the id is a UUIDv7. Idempotency keys, which are unique over all months,
-- are in a table of their own.
--
-- There are no foreign keys to users and agents (ADR 0006). Accepting a call reads those rows in the same statement,
-- and none of them is ever deleted.

-- migrate:up

CREATE TABLE invocations (
  invocation_id      text PRIMARY KEY,
  buyer_user_id      text NOT NULL,
  developer_user_id  text NOT NULL,
  agent_id           text NOT NULL,
  version_id         text NOT NULL,
  version            text NOT NULL,
  surface            text NOT NULL,
  status             text NOT NULL,
  price_units        bigint NOT NULL,
  free               boolean NOT NULL DEFAULT false,
  free_month         date,
  max_cost_credits   integer,
  idempotency_key    text,
  input_sha256       text NOT NULL,
  output_sha256      text,
  input_bytes        integer,
  output_bytes       integer,
  owner              text NOT NULL,
  trace_id           text NOT NULL,
  error_code         text,
  tokens_in          integer,
  tokens_out         integer,
  duration_ms        integer,
  truncated_by       text,
  charged_units      bigint,
  invoked_at         timestamptz NOT NULL DEFAULT now(),
  settled_at         timestamptz,
  key_id             text,
  mandate_id         text,
  caller_user_id     text
) PARTITION BY RANGE (invocation_id);
COMMENT ON COLUMN invocations.truncated_by IS
  'What ended a streamed answer that was paid as far as it was delivered; null for a whole answer';
COMMENT ON COLUMN invocations.mandate_id IS 'The mandate of the buyer under which the call was made';
COMMENT ON COLUMN invocations.caller_user_id IS 'The account that presented the mandate; the buyer pays';
CREATE INDEX invocations_buyer ON invocations (buyer_user_id, invocation_id DESC);
CREATE INDEX invocations_agent ON invocations (agent_id, invocation_id DESC);
-- No index names a column that changes while the call runs, so that each of its updates is HOT. open_calls and
-- pending_calls find the calls that have not ended.
CREATE INDEX invocations_mandate ON invocations (buyer_user_id, mandate_id) WHERE mandate_id IS NOT NULL;
CREATE TRIGGER invocations_guard AFTER UPDATE OF status ON invocations
  FOR EACH ROW EXECUTE FUNCTION invocation_guard();
CREATE TRIGGER invocations_key_spending AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.key_id IS NOT NULL AND NEW.status <> OLD.status AND 'succeeded' IN (NEW.status, OLD.status))
  EXECUTE FUNCTION api_key_count_spending();
CREATE TRIGGER invocations_mandate_made AFTER INSERT ON invocations
  FOR EACH ROW WHEN (NEW.mandate_id IS NOT NULL) EXECUTE FUNCTION mandate_follow_call();
CREATE TRIGGER invocations_mandate_moved AFTER UPDATE OF status ON invocations
  FOR EACH ROW WHEN (NEW.mandate_id IS NOT NULL AND NEW.status <> OLD.status) EXECUTE FUNCTION mandate_follow_call();
CREATE TRIGGER invocations_a2a AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.surface = 'a2a' AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION a2a_follow();
CREATE TRIGGER invocations_free_slot AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.free AND NEW.status = 'failed' AND OLD.status <> 'failed') EXECUTE FUNCTION free_calls_give_back();
CREATE TRIGGER invocations_event AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.status IN ('succeeded', 'failed') AND NEW.status IS DISTINCT FROM OLD.status)
  EXECUTE FUNCTION event_of_invocation();
CREATE TRIGGER invocations_pending_made AFTER INSERT ON invocations
  FOR EACH ROW WHEN (NEW.status = 'pending') EXECUTE FUNCTION invocation_note_pending();
CREATE TRIGGER invocations_pending_moved AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (OLD.status = 'pending' AND NEW.status <> 'pending') EXECUTE FUNCTION invocation_note_pending();
CREATE TRIGGER invocations_key_taken AFTER INSERT ON invocations
  FOR EACH ROW WHEN (NEW.idempotency_key IS NOT NULL AND NEW.status <> 'failed') EXECUTE FUNCTION invocation_note_key();
CREATE TRIGGER invocations_key_freed AFTER UPDATE OF status ON invocations FOR EACH ROW
  WHEN (NEW.idempotency_key IS NOT NULL AND NEW.status = 'failed' AND OLD.status <> 'failed')
  EXECUTE FUNCTION invocation_note_key();
SELECT partition_setup('invocations');
ALTER TABLE invocations ADD CONSTRAINT invocations_rules
  CHECK (invocation_check(invocation_id, surface, status, price_units, free, free_month, idempotency_key, input_bytes,
    output_bytes, truncated_by, charged_units, settled_at)) NOT VALID;

-- Calls that are accepted and have no hold yet: tasks that wait for a worker, and calls whose workflow is being
-- confirmed. Written by invocation_note_pending.
CREATE TABLE pending_calls (
  invocation_id  text PRIMARY KEY,
  buyer_user_id  text NOT NULL,
  agent_id       text NOT NULL,
  price_units    bigint NOT NULL,
  is_task        boolean NOT NULL,
  invoked_at     timestamptz NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX pending_calls_buyer ON pending_calls (buyer_user_id);
CREATE INDEX pending_calls_agent ON pending_calls (agent_id);
CREATE INDEX pending_calls_since ON pending_calls (is_task, invoked_at);

-- A call is running while its hold is open.
CREATE VIEW open_calls AS
  SELECT h.invocation_id, h.buyer_user_id, h.agent_id, h.amount_units AS price_units, false AS is_pending
    FROM holds h WHERE h.state = 'open'
  UNION ALL
  SELECT p.invocation_id, p.buyer_user_id, p.agent_id, p.price_units, true FROM pending_calls p;
COMMENT ON VIEW open_calls IS 'Every call that has not ended: pending ones, and running ones, whose hold is open';

-- Calls whose hold was open when their id was no longer young (docs/internals/statements.md#calls-in-flight). Calls in
-- flight are counted from long_calls_since on, a time in ms, and before it among these: the index over open holds keeps
-- the ended ones while a snapshot is old.
CREATE TABLE long_calls (
  invocation_id  text PRIMARY KEY,
  buyer_user_id  text NOT NULL,
  agent_id       text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX long_calls_buyer ON long_calls (buyer_user_id);
CREATE INDEX long_calls_agent ON long_calls (agent_id);
-- A sequence has one version, whatever snapshots are open.
CREATE SEQUENCE long_calls_since MINVALUE 0 START 0;

-- A failed call frees its idempotency key; every other call keeps it for ever.
CREATE TABLE invocation_keys (
  buyer_user_id    text NOT NULL,
  idempotency_key  text NOT NULL,
  invocation_id    text NOT NULL,
  agent_id         text NOT NULL,
  input_sha256     text NOT NULL,
  CONSTRAINT invocations_key PRIMARY KEY (buyer_user_id, idempotency_key)
);

-- Free calls that a buyer has used of an agent in a UTC month: accepted ones that did not fail. Written by
-- invocation_accept and free_calls_give_back; deleted by retention_purge two months later.
CREATE TABLE free_calls (
  month          date NOT NULL,
  buyer_user_id  text NOT NULL,
  agent_id       text NOT NULL,
  used           integer NOT NULL CHECK (used >= 0),
  PRIMARY KEY (month, buyer_user_id, agent_id)
) WITH (fillfactor = 50);

-- Answers that a later reader needs; other bodies are not stored. Deleted by invocation_served and retention_purge.
CREATE TABLE invocation_answers (
  invocation_id  text PRIMARY KEY,
  answer         bytea NOT NULL,
  expires_at     timestamptz NOT NULL
);
COMMENT ON COLUMN invocation_answers.answer IS
  'Envelope-encrypted JSON of the output; the context is the invocation id';
CREATE INDEX invocation_answers_expiry ON invocation_answers (expires_at);

CREATE TABLE invocation_waiters (
  invocation_id  text NOT NULL,
  owner          text NOT NULL,
  PRIMARY KEY (invocation_id, owner)
);
COMMENT ON TABLE invocation_waiters IS 'Processes that want a notification when a call of another process is over';

-- Processes that hold calls, each with the time at which it was last seen alive. Written by call_owner_seen.
CREATE TABLE call_owners (
  owner    text PRIMARY KEY,
  seen_at  timestamptz NOT NULL DEFAULT now()
);

-- How many bytes the service keeps for an account: stored answers, inputs and messages of tasks, bodies of deliveries.
-- The bytes of free calls and of paid ones are counted apart, by the hour in which they expire (ADR 0203).
CREATE TABLE stored_bytes (
  user_id     text NOT NULL,
  until       timestamptz NOT NULL,
  free_bytes  bigint NOT NULL DEFAULT 0,
  paid_bytes  bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, until)
) WITH (fillfactor = 50);
COMMENT ON COLUMN stored_bytes.until IS 'The end of the hour in which they expire';
CREATE INDEX stored_bytes_until ON stored_bytes (until);

GRANT SELECT ON invocations, pending_calls, open_calls, invocation_keys, free_calls TO market_app;
-- answer: the rotation of master keys encrypts it again.
GRANT SELECT, DELETE, UPDATE (answer) ON invocation_answers TO market_app;

-- migrate:down

DROP TABLE stored_bytes;
DROP TABLE call_owners;
DROP TABLE invocation_waiters;
DROP TABLE invocation_answers;
DROP TABLE free_calls;
DROP TABLE invocation_keys;
DROP SEQUENCE long_calls_since;
DROP TABLE long_calls;
DROP VIEW open_calls;
DROP TABLE pending_calls;
DROP TABLE invocations;
