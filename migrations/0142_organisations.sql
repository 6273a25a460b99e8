-- Organisations: owners with members (ADR 0373).

-- migrate:up

ALTER TABLE users
  DROP CONSTRAINT users_user_id_check,
  DROP CONSTRAINT users_kind_check,
  ADD CONSTRAINT users_user_id_check CHECK (user_id ~ '^(usr|org)_[0-9a-f]{32}$'),
  ADD CONSTRAINT users_kind_check CHECK (kind IN ('person', 'payer', 'organisation')
    AND (kind <> 'payer' OR role = 'buyer') AND (kind <> 'organisation' OR role <> 'operator'));
COMMENT ON COLUMN users.kind IS
  'payer: the account of a paying address; email is its CAIP-10 id. organisation: email is its id. Neither has a password';
CREATE TRIGGER users_become_organisations BEFORE UPDATE OF kind ON users FOR EACH ROW
  WHEN (OLD.kind <> NEW.kind) EXECUTE FUNCTION user_kind_guard();

CREATE TABLE organisations (
  org_id                 text PRIMARY KEY REFERENCES users,
  contact_email          text NOT NULL CHECK (length(contact_email) <= 254),
  require_second_factor  boolean NOT NULL DEFAULT false,
  created_by             text NOT NULL REFERENCES users,
  created_at             timestamptz NOT NULL DEFAULT now(),
  converted_at           timestamptz,
  ended_at               timestamptz
);
COMMENT ON TABLE organisations IS 'Owners with members; wallet, keys, agents and all else belong to the row of users with the same id';
COMMENT ON COLUMN organisations.converted_at IS 'When a personal account became this organisation; null for one that was founded';
COMMENT ON COLUMN organisations.ended_at IS 'When it ended; it has no members and takes no invitations from then on';
GRANT SELECT, INSERT ON organisations TO market_app;
GRANT UPDATE (contact_email, require_second_factor, ended_at) ON organisations TO market_app;

CREATE TABLE organisation_members (
  org_id      text NOT NULL REFERENCES organisations,
  user_id     text NOT NULL REFERENCES users,
  role        text NOT NULL CHECK (role IN ('owner', 'admin', 'finance', 'developer', 'buyer', 'viewer')),
  joined_at   timestamptz NOT NULL DEFAULT now(),
  invited_by  text REFERENCES users,
  PRIMARY KEY (org_id, user_id)
);
COMMENT ON TABLE organisation_members IS 'Persons who act for an organisation, and what they may do (src/domain/accounts/roles.ts)';
CREATE INDEX organisation_members_of ON organisation_members (user_id, org_id);
CREATE INDEX organisation_owners ON organisation_members (org_id) WHERE role = 'owner';
GRANT SELECT, INSERT, DELETE, UPDATE (role) ON organisation_members TO market_app;

CREATE TABLE organisation_invitations (
  invitation_id  text PRIMARY KEY CHECK (invitation_id ~ '^oin_[0-9a-f]{32}$'),
  org_id         text NOT NULL REFERENCES organisations,
  email          text NOT NULL CHECK (length(email) <= 254),
  role           text NOT NULL CHECK (role IN ('owner', 'admin', 'finance', 'developer', 'buyer', 'viewer')),
  sha256         bytea UNIQUE CHECK (length(sha256) = 32),
  invited_by     text NOT NULL REFERENCES users,
  created_at     timestamptz NOT NULL DEFAULT now(),
  expires_at     timestamptz NOT NULL
);
COMMENT ON TABLE organisation_invitations IS 'Invitations that wait; an accepted or revoked one is deleted, and the audit log of the organisation keeps it';
COMMENT ON COLUMN organisation_invitations.sha256 IS 'Of the token in the mail; null until the mail is written';
CREATE INDEX organisation_invitations_of ON organisation_invitations (org_id, invitation_id DESC);
CREATE UNIQUE INDEX organisation_invitations_email ON organisation_invitations (org_id, lower(email));
CREATE INDEX organisation_invitations_expiry ON organisation_invitations (expires_at);
GRANT SELECT, INSERT, DELETE, UPDATE (sha256, expires_at, role) ON organisation_invitations TO market_app;

CREATE TABLE organisation_actions (
  entry_id    text PRIMARY KEY CHECK (entry_id ~ '^oac_[0-9a-f]{32}$'),
  org_id      text NOT NULL REFERENCES organisations,
  person      text,
  key_id      text,
  action      text NOT NULL CHECK (length(action) <= 80),
  subject     text NOT NULL CHECK (length(subject) <= 200),
  details     jsonb NOT NULL DEFAULT '{}',
  network     text CHECK (length(network) <= 64),
  user_agent  text CHECK (length(user_agent) <= 200),
  trace_id    text CHECK (length(trace_id) <= 64),
  outcome     text CHECK (length(outcome) <= 60),
  created_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE organisation_actions IS 'The audit log of organisations: one row for each request that changes something, calls excepted';
COMMENT ON COLUMN organisation_actions.action IS 'The operation of the contract';
COMMENT ON COLUMN organisation_actions.outcome IS 'done, or the code of the error; null if the process ended before';
CREATE INDEX organisation_actions_of ON organisation_actions (org_id, entry_id DESC);
GRANT SELECT, INSERT, UPDATE (outcome, details, subject) ON organisation_actions TO market_app;

ALTER TABLE api_keys ADD COLUMN created_by text REFERENCES users;
COMMENT ON COLUMN api_keys.created_by IS 'The member who made this key or grant of an organisation; it ends with their membership. Null: it belongs to the account';
CREATE INDEX api_keys_of_member ON api_keys (created_by, user_id) WHERE created_by IS NOT NULL AND deleted_at IS NULL;
GRANT INSERT (created_by) ON api_keys TO market_app;
ALTER TABLE oauth_devices ADD COLUMN approved_by text REFERENCES users;
COMMENT ON COLUMN oauth_devices.approved_by IS 'The member of an organisation who approved; null: the account itself';
GRANT UPDATE (approved_by) ON oauth_devices TO market_app;

-- migrate:down

ALTER TABLE oauth_devices DROP COLUMN approved_by;
ALTER TABLE api_keys DROP COLUMN created_by;
DROP TABLE organisation_actions;
DROP TABLE organisation_invitations;
DROP TABLE organisation_members;
DROP TABLE organisations;
DROP TRIGGER IF EXISTS users_become_organisations ON users;
DROP FUNCTION IF EXISTS user_kind_guard();
