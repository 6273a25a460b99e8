/**
 * What happened, for those who asked to be told (contract, "Webhooks"). `event_record` is called in the transaction of
 * what it tells: it writes the event and one delivery for each endpoint that wants it (the outbox, 0702), or, when
 * nobody does, nothing. So an event costs a call that nobody listens to one look into an index.
 *
 * Who is told: endpoints of the accounts in `audience`; and, of a public event, also endpoints of anybody who named
 * its agent. An endpoint that named an agent is told only of that one.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE events (
    event_id    text PRIMARY KEY CHECK (event_id ~ '^evt_[0-9a-f]{32}$'),
    type        text NOT NULL CHECK (type ~ '^[a-z_]+[.][a-z_]+$'),
    agent_id    text,
    data        jsonb NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN events.data IS 'What everybody in the audience may know: ids, amounts, states and times; no bodies and no secrets';
  CREATE INDEX events_age ON events (created_at);

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

  ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_endpoint_kind_check;
  ALTER TABLE webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_endpoint_kind_check CHECK (endpoint_kind IN ('a2a_push', 'webhook')),
    ADD COLUMN round integer NOT NULL DEFAULT 0 CHECK (round >= 0);
  COMMENT ON COLUMN webhook_deliveries.round IS 'How often it was asked for again; each round has its own workflow';
  CREATE INDEX webhook_deliveries_age ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

  CREATE TABLE webhook_attempts (
    delivery_id  text NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    attempt      integer NOT NULL,
    at           timestamptz NOT NULL DEFAULT now(),
    status       integer,
    error        text,
    duration_ms  integer NOT NULL,
    PRIMARY KEY (delivery_id, attempt)
  );

  CREATE FUNCTION event_deliver(id text, endpoints text[]) RETURNS void
  LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
    INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id)
    SELECT 'whd_' || replace(uuidv7()::text, '-', ''), id, 'webhook', e.endpoint_id, id
      FROM unnest(endpoints) e(endpoint_id)
  $$;

  -- The id of the event, or null when nobody wants to be told.
  CREATE FUNCTION event_record(event_type text, event_data jsonb, audience text[], about_agent text DEFAULT NULL,
    is_public boolean DEFAULT false) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    endpoints text[];
    id        text;
  BEGIN
    SELECT array_agg(w.webhook_id ORDER BY w.webhook_id) INTO endpoints FROM webhooks w
      WHERE (w.user_id = ANY (audience) OR (is_public AND w.agent_id = about_agent))
        AND w.disabled_at IS NULL AND event_type = ANY (w.types)
        AND (w.agent_id IS NULL OR w.agent_id = about_agent);
    IF endpoints IS NULL THEN RETURN NULL; END IF;
    INSERT INTO events (event_id, type, agent_id, data)
      VALUES ('evt_' || replace(uuidv7()::text, '-', ''), event_type, about_agent, event_data)
      RETURNING event_id INTO id;
    PERFORM event_deliver(id, endpoints);
    RETURN id;
  END $$;

  -- An event for one endpoint alone, which somebody asks for to see that it works.
  CREATE FUNCTION event_test(webhook text, event_data jsonb) RETURNS text
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE id text;
  BEGIN
    INSERT INTO events (event_id, type, data)
      VALUES ('evt_' || replace(uuidv7()::text, '-', ''), 'webhook.test', event_data) RETURNING event_id INTO id;
    PERFORM event_deliver(id, ARRAY[webhook]);
    RETURN id;
  END $$;

  -- One batch of what is over and old: deliveries with their attempts, and events that nothing delivers any more.
  CREATE FUNCTION event_purge(keep_ms bigint, most integer) RETURNS integer
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    before     timestamptz := now() - keep_ms * interval '1 millisecond';
    deliveries integer;
    told       integer;
  BEGIN
    DELETE FROM webhook_deliveries d WHERE d.delivery_id IN (
      SELECT w.delivery_id FROM webhook_deliveries w WHERE w.finished_at < before
      ORDER BY w.finished_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS deliveries = ROW_COUNT;
    DELETE FROM events e WHERE e.event_id IN (
      SELECT o.event_id FROM events o WHERE o.created_at < before
        AND NOT EXISTS (SELECT FROM webhook_deliveries w WHERE w.event_id = o.event_id)
      ORDER BY o.created_at LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS told = ROW_COUNT;
    RETURN deliveries + told;
  END $$;

  REVOKE ALL ON FUNCTION event_deliver, event_record, event_test, event_purge FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION event_record, event_test, event_purge TO market_app;
  GRANT SELECT ON events TO market_app;
  GRANT SELECT, INSERT, DELETE, UPDATE (types, agent_id, sealed, disabled_at, disabled_reason, updated_at)
    ON webhooks TO market_app;
  GRANT SELECT, INSERT ON webhook_attempts TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION event_purge, event_test, event_record, event_deliver;
  DROP TABLE webhook_attempts;
  DELETE FROM webhook_deliveries WHERE endpoint_kind = 'webhook';
  DROP INDEX webhook_deliveries_age;
  ALTER TABLE webhook_deliveries DROP COLUMN round, DROP CONSTRAINT webhook_deliveries_endpoint_kind_check;
  ALTER TABLE webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_endpoint_kind_check CHECK (endpoint_kind IN ('a2a_push'));
  DROP TABLE webhooks; DROP TABLE events;
`);
