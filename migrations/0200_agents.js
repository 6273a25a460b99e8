/**
 * Agents and their immutable versions. A slug belongs to one developer; each major version of it is an agent of its
 * own; one version of an agent serves at a time. A version's document never changes: the trigger refuses it, and only
 * its state and times move (src/domain/version-state.ts).
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
    bundle             bytea,
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
      setweight(to_tsvector('english', display_name), 'A') || setweight(to_tsvector('english', description), 'B')
    ) STORED,
    created_at         timestamptz NOT NULL DEFAULT now(),
    submitted_at       timestamptz,
    live_at            timestamptz,
    UNIQUE (slug, version)
  );
  COMMENT ON COLUMN agent_versions.price_units IS
    'What a call may cost at most: the price per call, or the most that a metered call may cost';
  CREATE INDEX agent_versions_agent ON agent_versions (agent_id, major, minor, patch);
  CREATE INDEX agent_versions_search ON agent_versions USING gin (search);
  CREATE INDEX agent_versions_tags ON agent_versions USING gin (tags);
  ALTER TABLE agents ADD FOREIGN KEY (serving_version_id) REFERENCES agent_versions;

  CREATE FUNCTION agent_version_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (to_jsonb(NEW) - ARRAY['state', 'submitted_at', 'live_at', 'reject_reason', 'search', 'manifest'])
        IS DISTINCT FROM (to_jsonb(OLD) - ARRAY['state', 'submitted_at', 'live_at', 'reject_reason', 'search', 'manifest'])
       OR NEW.manifest IS DISTINCT FROM OLD.manifest THEN
      RAISE EXCEPTION 'a published version is immutable: %', OLD.version_id USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER agent_version_is_immutable BEFORE UPDATE ON agent_versions
    FOR EACH ROW EXECUTE FUNCTION agent_version_is_immutable();

  GRANT SELECT, INSERT ON slugs TO market_app;
  GRANT SELECT, INSERT, UPDATE ON agents, agent_versions TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  ALTER TABLE agents DROP COLUMN serving_version_id;
  DROP TABLE agent_versions; DROP TABLE agents; DROP TABLE slugs;
  DROP FUNCTION agent_version_is_immutable();
`);
