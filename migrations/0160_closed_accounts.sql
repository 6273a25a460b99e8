-- An account is closed when its deletion begins: it cannot log in any more, and keeps its address until that is replaced
-- (ADR 0396).

-- migrate:up

ALTER TABLE users ADD COLUMN closed_at timestamptz;
COMMENT ON COLUMN users.closed_at IS 'When the deletion of the account began: it cannot log in since then';
UPDATE users u SET closed_at = coalesce(u.erased_at, now()) FROM account_deletions d
 WHERE d.user_id = u.user_id AND d.state IN ('erasing', 'erased');
ALTER TABLE account_deletions ADD COLUMN left_organisations text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN account_deletions.left_organisations IS 'Organisations whose memberships ended when the erasure began; their logs may name the person';

ALTER TABLE account_deletions ADD COLUMN erasing_at timestamptz;
COMMENT ON COLUMN account_deletions.erasing_at IS 'When the erasure began';
UPDATE account_deletions SET erasing_at = coalesce(ended_at, now()) WHERE state IN ('erasing', 'erased');
ALTER TABLE account_deletions ADD COLUMN requested_by text REFERENCES users;
COMMENT ON COLUMN account_deletions.requested_by IS 'The member who asked for the deletion of an organisation; null for an account of a person';
CREATE INDEX account_deletions_blocked ON account_deletions (confirmed_at) WHERE state = 'confirmed' AND blocked_by <> '{}';
CREATE INDEX account_deletions_erasing ON account_deletions (erasing_at) WHERE state = 'erasing';
-- An erasure replaces the ids of mandates together with those that name them as their parent, and reads contests by account.
CREATE INDEX mandates_parent ON mandates (issuer_user_id, parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX finding_contests_developer ON finding_contests (developer_user_id, contest_id);
DROP FUNCTION IF EXISTS account_erase_mandates(text);

-- migrate:down

DROP INDEX finding_contests_developer;
DROP INDEX mandates_parent;
DROP INDEX account_deletions_erasing;
DROP INDEX account_deletions_blocked;
ALTER TABLE account_deletions DROP COLUMN requested_by;
ALTER TABLE account_deletions DROP COLUMN erasing_at;
DROP FUNCTION IF EXISTS account_erase_mandates(text, text, integer);
DROP FUNCTION IF EXISTS account_erase_texts(text, text, text, integer);
DROP FUNCTION IF EXISTS account_erase_notices(text, text[], text, integer);
DROP FUNCTION IF EXISTS account_erased_public_part(text);
ALTER TABLE account_deletions DROP COLUMN left_organisations;
ALTER TABLE users DROP COLUMN closed_at;
