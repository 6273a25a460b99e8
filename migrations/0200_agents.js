/**
 * Agents and their immutable versions. A slug belongs to one developer; each major version of it is an agent of its
 * own; one version of an agent serves at a time. A version's document never changes: the trigger refuses it, and only
 * its state and times move (src/domain/catalogue/version-state.ts).
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE slugs (
    slug               text PRIMARY KEY CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 64),
    developer_user_id  text NOT NULL REFERENCES users,
    created_at         timestamptz NOT NULL DEFAULT now()
  );

  CREATE TABLE agents (
    agent_id            text PRIMARY KEY,
    slug                text NOT NULL REFERENCES slugs,
    major               integer NOT NULL CHECK (major >= 0),
    developer_user_id   text NOT NULL REFERENCES users,
    kind                text NOT NULL CHECK (kind IN ('manifest', 'http', 'mcp')),
    status              text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended', 'retired')),
    signing_secret      bytea NOT NULL,
    serving_version_id  text,
    listed              boolean NOT NULL DEFAULT false,
    badge               text,
    trust_score         integer CHECK (trust_score BETWEEN 0 AND 100),
    live_at             timestamptz,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    UNIQUE (slug, major)
  );
  CREATE INDEX agents_developer ON agents (developer_user_id);

  -- array_to_string is only STABLE, because of types other than text.
  CREATE FUNCTION words(text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT array_to_string($1, ' ') $$;

  CREATE TABLE agent_versions (
    version_id         text PRIMARY KEY CHECK (version_id ~ '^agv_[0-9a-f]{32}$'),
    agent_id           text NOT NULL REFERENCES agents,
    slug               text NOT NULL REFERENCES slugs,
    version            text NOT NULL,
    major              integer NOT NULL,
    minor              integer NOT NULL,
    patch              integer NOT NULL,
    state              text NOT NULL CHECK
      (state IN ('draft', 'submitted', 'verifying', 'verified', 'live', 'superseded', 'rejected')),
    manifest           text NOT NULL,
    manifest_sha256    text NOT NULL,
    public_part        text NOT NULL,
    endpoint_url       text NOT NULL,
    display_name       text NOT NULL,
    description        text NOT NULL,
    category           text NOT NULL,
    tags               text[] NOT NULL,
    pricing_model      text NOT NULL CHECK (pricing_model IN ('per_call', 'per_token', 'per_second')),
    price_units        bigint NOT NULL CHECK (price_units >= 0),
    free_tier_calls    integer NOT NULL DEFAULT 0 CHECK (free_tier_calls >= 0),
    timeout_ms         integer NOT NULL CHECK (timeout_ms BETWEEN 1000 AND 300000),
    max_payload_bytes  integer NOT NULL CHECK (max_payload_bytes > 0),
    retention_days     integer NOT NULL CHECK (retention_days >= 0),
    streaming          boolean NOT NULL,
    idempotent         boolean NOT NULL,
    a2a_invocable      boolean NOT NULL,
    reject_reason      text,
    search             tsvector GENERATED ALWAYS AS (
      setweight(to_tsvector('english', display_name), 'A') ||
      setweight(to_tsvector('english', words(tags)), 'B') ||
      setweight(to_tsvector('english', description), 'C')
    ) STORED,
    created_at         timestamptz NOT NULL DEFAULT now(),
    submitted_at       timestamptz,
    triggered_at       timestamptz,
    live_at            timestamptz,
    UNIQUE (slug, version)
  );
  COMMENT ON COLUMN agent_versions.public_part IS
    'JSON of what listings show of the manifest besides the columns: pricing, capabilities, data_handling, homepage';
  COMMENT ON COLUMN agent_versions.triggered_at IS 'When verification was last asked for; the sweep asks again';
  COMMENT ON COLUMN agent_versions.price_units IS
    'What a call may cost at most: the price per call, or the most that a metered call may cost';
  CREATE INDEX agent_versions_agent ON agent_versions (agent_id, major, minor, patch);
  CREATE INDEX agent_versions_search ON agent_versions USING gin (search);
  CREATE INDEX agent_versions_tags ON agent_versions USING gin (tags);
  ALTER TABLE agents ADD FOREIGN KEY (serving_version_id) REFERENCES agent_versions;

  CREATE INDEX agent_versions_waiting ON agent_versions (submitted_at) WHERE state IN ('submitted', 'verifying');
  CREATE INDEX agents_listed ON agents (serving_version_id) WHERE listed AND status = 'active';

  CREATE TABLE agent_bundles (
    version_id  text PRIMARY KEY REFERENCES agent_versions,
    bundle      bytea NOT NULL,
    sha256      text NOT NULL
  );
  COMMENT ON TABLE agent_bundles IS 'Source of a version as it was sent (gzipped tar), for the static stages';

  -- Mirrors VERSION_TRANSITIONS of src/domain/catalogue/version-state.ts.
  CREATE FUNCTION agent_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    mutable constant text[] := ARRAY['state', 'submitted_at', 'triggered_at', 'live_at', 'reject_reason', 'search'];
  BEGIN
    IF (to_jsonb(NEW) - mutable) IS DISTINCT FROM (to_jsonb(OLD) - mutable) THEN
      RAISE EXCEPTION 'a published version is immutable: %', OLD.version_id USING ERRCODE = '23514';
    END IF;
    IF NEW.state <> OLD.state AND (OLD.state || '>' || NEW.state) <> ALL (ARRAY[
        'draft>submitted', 'submitted>verifying', 'submitted>superseded', 'verifying>verified',
        'verifying>rejected', 'verifying>superseded', 'verified>live', 'verified>superseded', 'live>superseded',
        'rejected>submitted', 'rejected>superseded']) THEN
      RAISE EXCEPTION 'a version cannot go from % to %', OLD.state, NEW.state USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER agent_version_is_immutable BEFORE UPDATE ON agent_versions
    FOR EACH ROW EXECUTE FUNCTION agent_version_is_immutable();

  -- Mirrors AGENT_TRANSITIONS of src/domain/catalogue/agent-state.ts.
  CREATE FUNCTION agent_status_moves() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.status <> OLD.status AND (OLD.status || '>' || NEW.status) <> ALL (ARRAY[
        'active>suspended', 'active>retired', 'suspended>active', 'suspended>retired']) THEN
      RAISE EXCEPTION 'an agent cannot go from % to %', OLD.status, NEW.status USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER agent_status_moves BEFORE UPDATE OF status ON agents
    FOR EACH ROW EXECUTE FUNCTION agent_status_moves();

  GRANT SELECT, INSERT ON slugs TO market_app;
  GRANT SELECT, INSERT, UPDATE ON agents, agent_versions TO market_app;
  GRANT SELECT, INSERT ON agent_bundles TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  ALTER TABLE agents DROP COLUMN serving_version_id;
  DROP TABLE agent_bundles; DROP TABLE agent_versions; DROP TABLE agents; DROP TABLE slugs;
  DROP FUNCTION agent_version_is_immutable(); DROP FUNCTION agent_status_moves(); DROP FUNCTION words(text[]);
`);
