/**
 * The outbox of what is delivered to strangers' addresses, one row per event and endpoint: the row is written in the
 * transaction of the event, a loop in the worker starts its workflow `webhook/<event>/<endpoint>`, and the workflow
 * tries. Only ids are in the workflow; what is sent lies here, encrypted, until it was delivered or given up.
 *
 *   state: pending → delivered | failed (every attempt) | gone (410, or the endpoint was removed).
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE webhook_deliveries (
    delivery_id    text PRIMARY KEY CHECK (delivery_id ~ '^whd_[0-9a-f]{32}$'),
    event_id       text NOT NULL CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
    endpoint_kind  text NOT NULL CHECK (endpoint_kind IN ('a2a_push')),
    endpoint_id    text NOT NULL,
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
    CONSTRAINT webhook_deliveries_end CHECK ((state = 'pending') = (finished_at IS NULL)),
    CONSTRAINT webhook_deliveries_forgotten CHECK (state = 'pending' OR payload IS NULL),
    UNIQUE (event_id, endpoint_id)
  );
  COMMENT ON COLUMN webhook_deliveries.payload IS
    'Envelope-encrypted body, made before the first attempt; the context is the delivery id';
  CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (created_at)
    WHERE started_at IS NULL AND state = 'pending';
  CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, delivery_id DESC);

  CREATE TABLE a2a_push_configs (
    endpoint_id  text PRIMARY KEY CHECK (endpoint_id ~ '^whk_[0-9a-f]{32}$'),
    task_id      text NOT NULL REFERENCES a2a_tasks ON DELETE CASCADE,
    config_id    text NOT NULL CHECK (length(config_id) BETWEEN 1 AND 255),
    sealed       bytea NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    disabled_at  timestamptz,
    UNIQUE (task_id, config_id)
  );
  COMMENT ON COLUMN a2a_push_configs.sealed IS
    'Envelope-encrypted {url, token, scheme, credentials}; the context is the endpoint id';

  -- Every event after the first is told to the endpoints that the task has then.
  CREATE FUNCTION a2a_push() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, subject_seq)
    SELECT 'whd_' || replace(uuidv7()::text, '-', ''), 'evt_' || replace(uuidv7()::text, '-', ''), 'a2a_push',
           c.endpoint_id, NEW.task_id, NEW.seq
      FROM a2a_push_configs c WHERE c.task_id = NEW.task_id AND c.disabled_at IS NULL ORDER BY c.endpoint_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER a2a_task_events_push AFTER INSERT ON a2a_task_events FOR EACH ROW
    WHEN (NEW.seq > 1) EXECUTE FUNCTION a2a_push();

  REVOKE ALL ON FUNCTION a2a_push FROM PUBLIC;
  GRANT SELECT, INSERT, UPDATE ON webhook_deliveries TO market_app;
  GRANT SELECT, INSERT, DELETE, UPDATE (sealed, disabled_at) ON a2a_push_configs TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER a2a_task_events_push ON a2a_task_events;
  DROP FUNCTION a2a_push;
  DROP TABLE a2a_push_configs; DROP TABLE webhook_deliveries;
`);
