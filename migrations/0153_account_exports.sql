-- Exports of everything that an account has stored here (ADR 0387). The parts are a zip archive, sealed piece by piece.

-- migrate:up

CREATE TABLE account_exports (
  export_id            text PRIMARY KEY CHECK (export_id ~ '^exp_[0-9a-f]{32}$'),
  user_id              text NOT NULL REFERENCES users,
  state                text NOT NULL DEFAULT 'waiting'
                         CHECK (state IN ('waiting', 'running', 'ready', 'failed', 'expired')),
  requested_at         timestamptz NOT NULL DEFAULT now(),
  workflow_started_at  timestamptz,
  attempt              integer NOT NULL DEFAULT 0 CHECK (attempt >= 0),
  snapshot_at          timestamptz,
  ended_at             timestamptz,
  expires_at           timestamptz,
  bytes                bigint CHECK (bytes > 0),
  rows                 bigint CHECK (rows >= 0),
  sha256               text CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  CONSTRAINT account_exports_end CHECK ((state IN ('waiting', 'running')) = (ended_at IS NULL)),
  CONSTRAINT account_exports_whole CHECK (state NOT IN ('ready', 'expired')
    OR num_nulls(snapshot_at, expires_at, bytes, rows, sha256) = 0)
);
COMMENT ON TABLE account_exports IS 'Exports that accounts requested. At most one of an account is open';
COMMENT ON COLUMN account_exports.workflow_started_at IS 'When the engine last confirmed its workflow';
COMMENT ON COLUMN account_exports.attempt IS 'Parts of earlier attempts are refused';
COMMENT ON COLUMN account_exports.snapshot_at IS 'The time of the snapshot that the archive contains';
CREATE UNIQUE INDEX account_exports_open ON account_exports (user_id) WHERE state IN ('waiting', 'running');
CREATE INDEX account_exports_user ON account_exports (user_id, export_id DESC);
CREATE INDEX account_exports_unended ON account_exports (coalesce(workflow_started_at, '-infinity'))
  WHERE state IN ('waiting', 'running');
CREATE INDEX account_exports_ready ON account_exports (expires_at) WHERE state = 'ready';
GRANT SELECT, INSERT, UPDATE ON account_exports TO market_app;

CREATE TABLE account_export_parts (
  part_id    text GENERATED ALWAYS AS (export_id || ' ' || number) STORED PRIMARY KEY,
  export_id  text NOT NULL REFERENCES account_exports,
  number     integer NOT NULL CHECK (number >= 0),
  sealed     bytea NOT NULL,
  UNIQUE (export_id, number)
);
COMMENT ON TABLE account_export_parts IS 'The archives of exports in pieces; deleted when the export expires';
COMMENT ON COLUMN account_export_parts.sealed IS 'Envelope-encrypted piece; the context is the export and the number';
ALTER TABLE account_export_parts ALTER COLUMN sealed SET STORAGE EXTERNAL;
GRANT SELECT, INSERT, DELETE ON account_export_parts TO market_app;

-- migrate:down

DROP TABLE account_export_parts;
DROP TABLE account_exports;
