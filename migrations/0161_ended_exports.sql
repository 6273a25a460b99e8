-- Exports that ended: their parts are deleted once and not looked for again (ADR 0387).

-- migrate:up

ALTER TABLE account_exports ADD COLUMN parts_gone_at timestamptz;
COMMENT ON COLUMN account_exports.parts_gone_at IS 'When the parts of an export that failed or expired were deleted';
UPDATE account_exports e SET parts_gone_at = now() WHERE e.state IN ('failed', 'expired')
  AND NOT EXISTS (SELECT FROM account_export_parts p WHERE p.export_id = e.export_id);
CREATE INDEX account_exports_parts ON account_exports (ended_at) WHERE state IN ('failed', 'expired') AND parts_gone_at IS NULL;
CREATE INDEX account_exports_failed ON account_exports (ended_at) WHERE state = 'failed';
CREATE INDEX account_exports_waiting ON account_exports (requested_at) WHERE state IN ('waiting', 'running');

-- migrate:down

DROP INDEX account_exports_waiting;
DROP INDEX account_exports_failed;
ALTER TABLE account_exports DROP COLUMN parts_gone_at;
