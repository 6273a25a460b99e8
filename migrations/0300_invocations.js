/**
 * One row per accepted call. The row says what the buyer was told; the money of the call is in its hold
 * (0100 and following). Bodies are not here: answers that a later reader needs are encrypted in invocation_answers.
 *
 * No foreign keys to users and agents: each would lock one row for every call of a popular agent. Accept reads those
 * rows in the same statement, and none of them is ever deleted.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE invocations (
    invocation_id      text PRIMARY KEY CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$'),
    buyer_user_id      text NOT NULL,
    developer_user_id  text NOT NULL,
    agent_id           text NOT NULL,
    version_id         text NOT NULL,
    version            text NOT NULL,
    surface            text NOT NULL CHECK (surface IN ('invoke', 'chat', 'use', 'mcp', 'a2a')),
    status             text NOT NULL CHECK (status IN ('pending', 'running', 'succeeded', 'failed', 'disputed')),
    price_units        bigint NOT NULL CHECK (price_units >= 0),
    free               boolean NOT NULL DEFAULT false,
    free_month         date,
    max_cost_credits   integer,
    idempotency_key    text CHECK (length(idempotency_key) <= 400),
    input_sha256       text NOT NULL,
    output_sha256      text,
    owner              text NOT NULL,
    trace_id           text NOT NULL,
    error_code         text,
    tokens_in          integer,
    tokens_out         integer,
    duration_ms        integer,
    charged_units      bigint,
    invoked_at         timestamptz NOT NULL DEFAULT now(),
    settled_at         timestamptz,
    CHECK (status NOT IN ('succeeded', 'failed', 'disputed') OR settled_at IS NOT NULL),
    CHECK (status <> 'succeeded' OR charged_units IS NOT NULL),
    CHECK (free = (free_month IS NOT NULL))
  );
  -- A failed call leaves its key free; every other state keeps it for ever.
  CREATE UNIQUE INDEX invocations_key ON invocations (buyer_user_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL AND status <> 'failed';
  CREATE INDEX invocations_buyer ON invocations (buyer_user_id, invocation_id DESC);
  CREATE INDEX invocations_agent ON invocations (agent_id, invocation_id DESC);
  CREATE INDEX invocations_in_flight ON invocations (buyer_user_id, agent_id) WHERE status IN ('pending', 'running');
  CREATE INDEX invocations_agent_in_flight ON invocations (agent_id) WHERE status IN ('pending', 'running');
  CREATE INDEX invocations_pending ON invocations (invoked_at) WHERE status = 'pending';
  CREATE INDEX invocations_free ON invocations (buyer_user_id, agent_id, free_month)
    WHERE free AND status <> 'failed';

  CREATE FUNCTION invocation_guard() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.status <> OLD.status AND NOT (OLD.status, NEW.status) IN
       (('pending', 'running'), ('pending', 'failed'), ('running', 'succeeded'), ('running', 'failed'),
        ('running', 'disputed'), ('succeeded', 'disputed')) THEN
      RAISE EXCEPTION 'invocation % may not go from % to %', OLD.invocation_id, OLD.status, NEW.status
        USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER invocations_guard BEFORE UPDATE OF status ON invocations
    FOR EACH ROW EXECUTE FUNCTION invocation_guard();

  CREATE TABLE invocation_answers (
    invocation_id  text PRIMARY KEY REFERENCES invocations,
    answer         bytea NOT NULL,
    expires_at     timestamptz NOT NULL
  );
  COMMENT ON COLUMN invocation_answers.answer IS 'Envelope-encrypted JSON of the output; the context is the invocation id';
  CREATE INDEX invocation_answers_expiry ON invocation_answers (expires_at);

  CREATE TABLE invocation_waiters (
    invocation_id  text NOT NULL REFERENCES invocations,
    owner          text NOT NULL,
    PRIMARY KEY (invocation_id, owner)
  );
  COMMENT ON TABLE invocation_waiters IS 'Processes that want a notification when a call of another process is over';

  GRANT SELECT ON invocations TO market_app;
  GRANT SELECT, DELETE ON invocation_answers TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TABLE invocation_waiters; DROP TABLE invocation_answers; DROP TABLE invocations;
  DROP FUNCTION invocation_guard;
`);
