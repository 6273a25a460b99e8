/**
 * One row per slash. Its amount left the bond when the row was made; the workflow `slash/<id>` leads it to its end. The
 * windows are written here and end only when the workflow says so: nothing compares them with now().
 *
 * What people write stands in the rows, never in the workflow: its history holds ids and codes only.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE slashes (
    slash_id             text PRIMARY KEY CHECK (slash_id ~ '^slh_[0-9a-f]{32}$'),
    developer_user_id    text NOT NULL REFERENCES users,
    agent_id             text NOT NULL,
    status               text NOT NULL DEFAULT 'applied' CHECK (status IN ('applied', 'contested', 'final', 'overturned')),
    resolution           text CHECK (resolution IN ('developer_silent', 'operator')),
    requested_units      bigint NOT NULL CHECK (requested_units > 0),
    amount_units         bigint NOT NULL CHECK (amount_units > 0),
    explanation          text NOT NULL,
    evidence             jsonb NOT NULL,
    applied_by           text NOT NULL,
    applied_at           timestamptz NOT NULL,
    counter_by           timestamptz NOT NULL,
    top_up_ms            bigint NOT NULL CHECK (top_up_ms > 0),
    countered_at         timestamptz,
    counter_id           text,
    resolved_at          timestamptz,
    resolved_by          text,
    decision_id          text,
    top_up_by            timestamptz,
    trace_id             text NOT NULL,
    workflow_started_at  timestamptz,
    CONSTRAINT slashes_amount CHECK (amount_units <= requested_units),
    CONSTRAINT slashes_resolved CHECK ((status IN ('final', 'overturned')) = (resolved_at IS NOT NULL)
      AND (resolved_at IS NULL) = (resolution IS NULL)
      AND (resolution IS NOT DISTINCT FROM 'operator') = (resolved_by IS NOT NULL)),
    CONSTRAINT slashes_countered CHECK ((countered_at IS NULL) = (counter_id IS NULL)),
    CONSTRAINT slashes_top_up CHECK (top_up_by IS NULL OR status = 'final')
  );
  COMMENT ON COLUMN slashes.top_up_by IS 'Until when the bond must be topped up, when this slash left a shortfall';
  CREATE INDEX slashes_developer ON slashes (developer_user_id, slash_id DESC);
  CREATE INDEX slashes_undecided ON slashes (slash_id) WHERE status IN ('applied', 'contested');

  CREATE TABLE slash_calls (
    slash_id       text NOT NULL REFERENCES slashes,
    invocation_id  text NOT NULL,
    buyer_user_id  text NOT NULL,
    weight_units   bigint NOT NULL CHECK (weight_units >= 0),
    refund_units   bigint CHECK (refund_units >= 0),
    PRIMARY KEY (slash_id, invocation_id)
  );
  COMMENT ON COLUMN slash_calls.weight_units IS 'The charge that was not refunded yet, when the slash was applied';
  CREATE INDEX slash_calls_invocation ON slash_calls (invocation_id) WHERE refund_units > 0;

  -- A developer's counter-argument, an operator's reason. Written before the workflow is asked; the slash then names
  -- the one that counted.
  CREATE TABLE slash_texts (
    text_id         text PRIMARY KEY CHECK (text_id ~ '^slt_[0-9a-f]{32}$'),
    slash_id        text NOT NULL REFERENCES slashes,
    author_user_id  text NOT NULL,
    body            text NOT NULL,
    evidence        jsonb,
    created_at      timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX slash_texts_slash ON slash_texts (slash_id);
  ALTER TABLE slashes
    ADD CONSTRAINT slashes_counter FOREIGN KEY (counter_id) REFERENCES slash_texts,
    ADD CONSTRAINT slashes_decision FOREIGN KEY (decision_id) REFERENCES slash_texts;

  -- Mirrors SLASH_TRANSITIONS of src/domain/bonds/slash.ts.
  CREATE FUNCTION slash_guard() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.status <> OLD.status AND (OLD.status || '>' || NEW.status) <> ALL (ARRAY[
        'applied>contested', 'applied>final', 'applied>overturned', 'contested>final', 'contested>overturned']) THEN
      RAISE EXCEPTION 'slash % may not go from % to %', OLD.slash_id, OLD.status, NEW.status USING ERRCODE = '23514';
    END IF;
    IF (NEW.slash_id, NEW.developer_user_id, NEW.agent_id, NEW.requested_units, NEW.amount_units, NEW.explanation,
        NEW.evidence, NEW.applied_at, NEW.counter_by, NEW.top_up_ms)
       IS DISTINCT FROM (OLD.slash_id, OLD.developer_user_id, OLD.agent_id, OLD.requested_units, OLD.amount_units,
        OLD.explanation, OLD.evidence, OLD.applied_at, OLD.counter_by, OLD.top_up_ms) THEN
      RAISE EXCEPTION 'the terms of slash % are fixed', OLD.slash_id USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER slashes_guard BEFORE UPDATE ON slashes FOR EACH ROW EXECUTE FUNCTION slash_guard();

  -- Who is told, and of what; what was refunded to whom is told to nobody but the buyers, by their ledgers.
  CREATE FUNCTION slash_event(slash slashes, event_type text, notice text, at timestamptz) RETURNS void
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE about jsonb := jsonb_build_object('slash_id', slash.slash_id, 'agent_id', slash.agent_id,
    'status', slash.status, 'resolution', slash.resolution, 'credits', event_credits(slash.amount_units),
    'explanation', slash.explanation, 'evidence', slash.evidence, 'applied_at', event_time(slash.applied_at),
    'counter_by', event_time(slash.counter_by), 'resolved_at', event_time(slash.resolved_at),
    'top_up_by', event_time(slash.top_up_by),
    'bond_credits', event_credits(bond_balance(slash.developer_user_id, 'bond')));
  BEGIN
    PERFORM event_record(event_type, about, ARRAY[slash.developer_user_id], slash.agent_id);
    PERFORM bond_notify(slash.developer_user_id, notice, slash.slash_id, slash.agent_id, about, at);
  END $$;

  REVOKE ALL ON FUNCTION slash_event FROM PUBLIC;
  GRANT SELECT, UPDATE (workflow_started_at) ON slashes TO market_app;
  GRANT SELECT ON slash_calls TO market_app;
  GRANT SELECT, INSERT ON slash_texts TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  ALTER TABLE slashes DROP CONSTRAINT slashes_counter, DROP CONSTRAINT slashes_decision;
  DROP FUNCTION slash_event;
  DROP TABLE slash_texts, slash_calls, slashes;
  DROP FUNCTION slash_guard;
`);
