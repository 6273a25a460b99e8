-- The lists of tools of MCP agents that verification has seen (ADR 0404). Buyers are served the verified one.

-- migrate:up

CREATE TABLE tool_lists (
  list_id     text PRIMARY KEY CHECK (list_id ~ '^tls_[0-9a-f]{32}$'),
  sequence    bigint NOT NULL UNIQUE GENERATED ALWAYS AS IDENTITY,
  agent_id    text NOT NULL REFERENCES agents,
  version_id  text NOT NULL REFERENCES agent_versions,
  state       text NOT NULL CHECK (state IN ('candidate', 'verified', 'refused', 'replaced')),
  digest      text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  tools       text,
  tool_count  integer NOT NULL CHECK (tool_count >= 0),
  changes     text NOT NULL,
  run_id      text REFERENCES verification_runs,
  taken_over  boolean NOT NULL DEFAULT false,
  reason      text,
  signature   text,
  seen_at     timestamptz NOT NULL DEFAULT now(),
  decided_at  timestamptz,
  CONSTRAINT tool_lists_decided CHECK ((state = 'candidate') = (decided_at IS NULL)),
  CONSTRAINT tool_lists_kept CHECK (state NOT IN ('candidate', 'verified') OR tools IS NOT NULL)
);
COMMENT ON TABLE tool_lists IS 'Lists of tools of MCP agents; at most one of a version is verified';
COMMENT ON COLUMN tool_lists.digest IS 'SHA-256 of the canonical JSON (RFC 8785) of the tools, sorted by name';
COMMENT ON COLUMN tool_lists.tools IS 'JSON; null once the text of an old list is deleted';
COMMENT ON COLUMN tool_lists.changes IS 'JSON: what differs from the list that was verified before, up to a size';
COMMENT ON COLUMN tool_lists.run_id IS 'The run that looked at the list; null while a candidate waits for one';
COMMENT ON COLUMN tool_lists.taken_over IS 'The first list of a version that served before lists were verified; no run has looked at it yet';
CREATE UNIQUE INDEX tool_lists_verified ON tool_lists (version_id) WHERE state = 'verified';
CREATE UNIQUE INDEX tool_lists_waiting ON tool_lists (version_id) WHERE state = 'candidate' AND run_id IS NULL;
CREATE UNIQUE INDEX tool_lists_run ON tool_lists (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX tool_lists_version ON tool_lists (version_id, sequence DESC);
CREATE INDEX tool_lists_agent ON tool_lists (agent_id, sequence DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON tool_lists TO market_app;

CREATE TABLE tool_watches (
  version_id  text PRIMARY KEY REFERENCES agent_versions,
  agent_id    text NOT NULL REFERENCES agents,
  digest      text NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  gone        text[] NOT NULL DEFAULT '{}',
  due_at      timestamptz,
  asked_at    timestamptz,
  changed_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE tool_watches IS 'The list of tools that the server of a version last gave';
COMMENT ON COLUMN tool_watches.gone IS 'Tools of the verified list that the server no longer lists';
COMMENT ON COLUMN tool_watches.due_at IS 'When a verification is asked for; null if none is needed';
CREATE INDEX tool_watches_due ON tool_watches (due_at) WHERE due_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON tool_watches TO market_app;

-- migrate:down

DROP TABLE tool_watches;
DROP TABLE tool_lists;
