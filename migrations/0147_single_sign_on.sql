-- Identity providers of organisations: their members log in by OpenID Connect (ADR 0380).

-- migrate:up

ALTER TABLE organisations ADD COLUMN require_sso boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN organisations.require_sso IS
  'True: members act for it only in sessions that one of its identity providers began';
GRANT UPDATE (require_sso) ON organisations TO market_app;

CREATE TABLE identity_providers (
  provider_id   text PRIMARY KEY CHECK (provider_id ~ '^idp_[0-9a-f]{32}$'),
  org_id        text NOT NULL REFERENCES organisations,
  name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  issuer        text NOT NULL CHECK (length(issuer) <= 500),
  client_id     text NOT NULL CHECK (length(client_id) BETWEEN 1 AND 500),
  sealed        bytea NOT NULL,
  default_role  text NOT NULL CHECK (default_role IN ('finance', 'developer', 'buyer', 'viewer')),
  enabled       boolean NOT NULL DEFAULT true,
  created_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN identity_providers.sealed IS 'The client secret, sealed';
COMMENT ON COLUMN identity_providers.default_role IS 'Role of a person whose first login makes them a member';
CREATE INDEX identity_providers_of ON identity_providers (org_id, provider_id DESC);
GRANT SELECT, INSERT, DELETE, UPDATE (name, client_id, sealed, default_role, enabled) ON identity_providers TO market_app;

CREATE TABLE identity_provider_domains (
  provider_id  text NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
  domain       text NOT NULL CHECK (length(domain) <= 253 AND domain = lower(domain)),
  token        text NOT NULL CHECK (length(token) BETWEEN 20 AND 100),
  created_at   timestamptz NOT NULL DEFAULT now(),
  verified_at  timestamptz,
  PRIMARY KEY (provider_id, domain)
);
COMMENT ON TABLE identity_provider_domains IS 'Domains whose addresses a provider may assert, once a TXT record has proven them';
COMMENT ON COLUMN identity_provider_domains.token IS 'Public: it stands in the TXT record';
CREATE UNIQUE INDEX identity_provider_domains_verified ON identity_provider_domains (domain) WHERE verified_at IS NOT NULL;
GRANT SELECT, INSERT, DELETE, UPDATE (verified_at) ON identity_provider_domains TO market_app;

CREATE TABLE sso_identities (
  provider_id  text NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
  subject      text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
  user_id      text NOT NULL REFERENCES users,
  linked_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (provider_id, subject),
  UNIQUE (provider_id, user_id)
);
COMMENT ON TABLE sso_identities IS 'The account of each subject of a provider, fixed at the first login';
CREATE INDEX sso_identities_user ON sso_identities (user_id);
GRANT SELECT, INSERT, DELETE ON sso_identities TO market_app;

CREATE TABLE sso_attempts (
  state_sha256  bytea PRIMARY KEY CHECK (length(state_sha256) = 32),
  browser_sha256  bytea NOT NULL CHECK (length(browser_sha256) = 32),
  provider_id   text NOT NULL REFERENCES identity_providers ON DELETE CASCADE,
  return_to     text NOT NULL CHECK (length(return_to) <= 500),
  expires_at    timestamptz NOT NULL
);
COMMENT ON TABLE sso_attempts IS 'Logins that a browser began at a provider; each is used once';
CREATE INDEX sso_attempts_expired ON sso_attempts (expires_at);
CREATE INDEX sso_attempts_provider ON sso_attempts (provider_id);
GRANT SELECT, INSERT, DELETE ON sso_attempts TO market_app;

CREATE INDEX sessions_provider ON sessions ((sess ->> 'provider')) WHERE sess ->> 'provider' IS NOT NULL;

-- migrate:down

DROP INDEX sessions_provider;
DROP TABLE sso_attempts;
DROP TABLE sso_identities;
DROP TABLE identity_provider_domains;
DROP TABLE identity_providers;
ALTER TABLE organisations DROP COLUMN require_sso;
