/**
 * Numbers of versions that can be used again.
 *
 * A version that never went live gives its number back when its owner publishes the number again or deletes the draft.
 * Its row stays, because verification runs, reports and findings refer to it.
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE agent_versions ADD COLUMN withdrawn_at timestamptz,
    ADD CONSTRAINT agent_versions_withdrawn CHECK (withdrawn_at IS NULL OR (state = 'superseded' AND live_at IS NULL));
  COMMENT ON COLUMN agent_versions.withdrawn_at IS
    'When its owner replaced or deleted a version that never went live; its number is free';
  ALTER TABLE agent_versions DROP CONSTRAINT agent_versions_slug_version_key;
  CREATE UNIQUE INDEX agent_versions_number ON agent_versions (slug, version) WHERE withdrawn_at IS NULL;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP INDEX agent_versions_number;
  ALTER TABLE agent_versions ADD CONSTRAINT agent_versions_slug_version_key UNIQUE (slug, version);
  ALTER TABLE agent_versions DROP COLUMN withdrawn_at;
`);
