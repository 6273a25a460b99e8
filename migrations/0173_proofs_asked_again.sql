-- Proofs of endpoints are looked for again at each run, and agents with a manifest have them, too (ADR 0416).

-- migrate:up

ALTER TABLE endpoint_proofs ADD COLUMN checked_at timestamptz NOT NULL DEFAULT now();
COMMENT ON COLUMN endpoint_proofs.checked_at IS 'When the proof was last found';
ALTER TABLE endpoint_proofs DROP CONSTRAINT endpoint_proofs_method_check;
ALTER TABLE endpoint_proofs ADD CONSTRAINT endpoint_proofs_method_check
  CHECK (method IN ('file', 'dns', 'header', 'challenge'));
GRANT UPDATE, DELETE ON endpoint_proofs TO market_app;

-- migrate:down

REVOKE UPDATE, DELETE ON endpoint_proofs FROM market_app;
DELETE FROM endpoint_proofs WHERE method = 'challenge';
ALTER TABLE endpoint_proofs DROP CONSTRAINT endpoint_proofs_method_check;
ALTER TABLE endpoint_proofs ADD CONSTRAINT endpoint_proofs_method_check CHECK (method IN ('file', 'dns', 'header'));
ALTER TABLE endpoint_proofs DROP COLUMN checked_at;
