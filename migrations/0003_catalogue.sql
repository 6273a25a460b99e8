-- Agents and their immutable versions, and what listings show of them.
--
-- A slug belongs to one developer; each major version of it is an agent of its own; one version of an agent serves at
-- a time. The document of a version never changes: only its state and times move
-- (src/domain/catalogue/version-state.ts).

-- migrate:up

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
CREATE INDEX agents_listed ON agents (serving_version_id) WHERE listed AND status = 'active';
CREATE TRIGGER agent_status_moves BEFORE UPDATE OF status ON agents
  FOR EACH ROW EXECUTE FUNCTION agent_status_moves();

-- A version that never went live gives its number back when its owner publishes the number again or deletes the draft;
-- its row stays, because runs, reports and findings refer to it (ADR 0106). Search finds forms of English words by
-- `search`, and every word, part of a word, and language without spaces by the other three (ADR 0206).
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
  fee_percent        smallint CHECK (fee_percent BETWEEN 0 AND 50),
  reject_reason      text,
  search             tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('english', display_name), 'A') ||
    setweight(to_tsvector('english', words(tags)), 'B') ||
    setweight(to_tsvector('english', description), 'C')
  ) STORED,
  search_words       tsvector GENERATED ALWAYS AS (
    setweight(to_tsvector('simple', display_name), 'A') ||
    setweight(to_tsvector('simple', words(tags)), 'B') ||
    setweight(to_tsvector('simple', description), 'C')
  ) STORED,
  search_text        text GENERATED ALWAYS AS (search_text(display_name, slug, tags, description)) STORED,
  search_grams       text[] GENERATED ALWAYS AS (
    text_grams(search_text(display_name, slug, tags, description))
  ) STORED,
  created_at         timestamptz NOT NULL DEFAULT now(),
  submitted_at       timestamptz,
  triggered_at       timestamptz,
  live_at            timestamptz,
  withdrawn_at       timestamptz,
  CONSTRAINT agent_versions_live_has_fee CHECK (state <> 'live' OR fee_percent IS NOT NULL),
  CONSTRAINT agent_versions_withdrawn CHECK (withdrawn_at IS NULL OR (state = 'superseded' AND live_at IS NULL))
);
COMMENT ON COLUMN agent_versions.public_part IS
  'JSON of what listings show of the manifest besides the columns: pricing, capabilities, data_handling, homepage';
COMMENT ON COLUMN agent_versions.fee_percent IS
  'The platform''s share of each charge: platform_settings.fee_percent at the time when the version went live';
COMMENT ON COLUMN agent_versions.triggered_at IS 'When verification was last requested; the sweep requests it again';
COMMENT ON COLUMN agent_versions.price_units IS
  'What a call may cost at most: the price per call, or the most that a metered call may cost';
COMMENT ON COLUMN agent_versions.withdrawn_at IS
  'When its owner replaced or deleted a version that never went live; its number is free';
COMMENT ON COLUMN agent_versions.search_grams IS
  'The characters and pairs of characters of search_text, by which the index finds the texts that may contain a term';
CREATE UNIQUE INDEX agent_versions_number ON agent_versions (slug, version) WHERE withdrawn_at IS NULL;
CREATE INDEX agent_versions_agent ON agent_versions (agent_id, major, minor, patch);
CREATE INDEX agent_versions_search ON agent_versions USING gin (search);
CREATE INDEX agent_versions_search_words ON agent_versions USING gin (search_words);
CREATE INDEX agent_versions_search_grams ON agent_versions USING gin (search_grams);
CREATE INDEX agent_versions_tags ON agent_versions USING gin (tags);
CREATE INDEX agent_versions_waiting ON agent_versions (submitted_at) WHERE state IN ('submitted', 'verifying');
ALTER TABLE agents ADD FOREIGN KEY (serving_version_id) REFERENCES agent_versions;
CREATE TRIGGER agent_version_is_immutable BEFORE UPDATE ON agent_versions
  FOR EACH ROW EXECUTE FUNCTION agent_version_is_immutable();
-- Triggers fire in the order of their names: the rate is set after the check that nothing else changed it.
CREATE TRIGGER agent_version_takes_fee BEFORE INSERT OR UPDATE OF state ON agent_versions
  FOR EACH ROW WHEN (NEW.state = 'live' AND NEW.fee_percent IS NULL) EXECUTE FUNCTION agent_version_takes_fee();

CREATE TABLE agent_bundles (
  version_id  text PRIMARY KEY REFERENCES agent_versions,
  bundle      bytea NOT NULL,
  sha256      text NOT NULL
);
COMMENT ON TABLE agent_bundles IS 'Source of a version as it was sent (gzipped tar), for the static stages';

-- The header that the service sends to a self-hosted agent, so that the agent recognises it (specification,
-- "upstream_auth"). It stays with the endpoint that it was given for (ADR 0200): a version that moves to another host
-- brings its own, and the version that still serves keeps the one before.
CREATE TABLE upstream_credentials (
  credential_id  text PRIMARY KEY GENERATED ALWAYS AS (agent_id || ' ' || origin) STORED,
  agent_id       text NOT NULL REFERENCES agents,
  origin         text NOT NULL CHECK (origin ~ '^https://[^/]+$'),
  header         text NOT NULL CHECK (header ~ '^[!#$%&''*+.^_`|~0-9a-z-]{1,128}$'),
  sealed         bytea NOT NULL,
  key_version    integer NOT NULL CHECK (key_version > 0),
  set_at         timestamptz NOT NULL DEFAULT now(),
  UNIQUE (agent_id, origin)
);
COMMENT ON COLUMN upstream_credentials.origin IS 'Of the endpoint that the credential was given for, and is sent to';
COMMENT ON COLUMN upstream_credentials.sealed IS 'Envelope-encrypted header value; the context is agent and header';
COMMENT ON COLUMN upstream_credentials.key_version IS 'Of the master key that wraps it';

-- Notices that only the owner of an agent reads: one row for each version and kind, when it was first seen.
CREATE TABLE agent_notices (
  notice_id      text PRIMARY KEY CHECK (notice_id ~ '^ntc_[0-9a-f]{32}$'),
  agent_id       text NOT NULL REFERENCES agents,
  version_id     text NOT NULL REFERENCES agent_versions,
  kind           text NOT NULL,
  first_seen_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (version_id, kind)
);
CREATE INDEX agent_notices_agent ON agent_notices (agent_id, notice_id);

-- Why search does not find an agent, or will not; written by agent_standing_refresh.
CREATE TABLE agent_hidden_reasons (
  agent_id  text NOT NULL REFERENCES agents,
  code      text NOT NULL CHECK (code IN ('critical_finding', 'bond_shortfall')),
  since     timestamptz NOT NULL DEFAULT now(),
  deadline  timestamptz,
  hides     boolean NOT NULL,
  PRIMARY KEY (agent_id, code)
);
COMMENT ON COLUMN agent_hidden_reasons.hides IS 'False: only announced; the agent is hidden after the deadline';

-- Each change of an agent's listing status, for the stream of listings; written by agent_standing_refresh.
CREATE TABLE listing_changes (
  change_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent_id     text NOT NULL REFERENCES agents,
  badge        text,
  trust_score  integer,
  listed       boolean NOT NULL,
  was_listed   boolean NOT NULL,
  at           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX listing_changes_agent ON listing_changes (agent_id, change_id DESC);

-- The figures that listings show. They are due when calls were counted (usage_roll_up), and at the end of each day.
CREATE TABLE agent_stats (
  agent_id         text PRIMARY KEY REFERENCES agents,
  invocations_30d  integer NOT NULL DEFAULT 0,
  buyer_days_30d   integer NOT NULL DEFAULT 0,
  success_rate     numeric(5, 4),
  p50_ms           integer,
  due_at           timestamptz NOT NULL
);
COMMENT ON COLUMN agent_stats.buyer_days_30d IS 'Buyers of each of the last 30 UTC days, by which listings are ranked';
CREATE INDEX agent_stats_due ON agent_stats (due_at);

GRANT SELECT, INSERT ON slugs, agent_notices TO market_app;
GRANT SELECT, INSERT, DELETE ON agent_bundles TO market_app;
GRANT SELECT, INSERT, UPDATE ON agents, agent_versions, agent_stats TO market_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON upstream_credentials TO market_app;
GRANT SELECT ON agent_hidden_reasons, listing_changes TO market_app;

-- migrate:down

ALTER TABLE agents DROP COLUMN serving_version_id;
DROP TABLE agent_stats;
DROP TABLE listing_changes;
DROP TABLE agent_hidden_reasons;
DROP TABLE agent_notices;
DROP TABLE upstream_credentials;
DROP TABLE agent_bundles;
DROP TABLE agent_versions;
DROP TABLE agents;
DROP TABLE slugs;
