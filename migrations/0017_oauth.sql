-- OAuth for the MCP endpoints (docs/oauth.md, ADR 0082 to 0084): registered clients, grants, and what was issued for
-- them.

-- migrate:up

-- Clients that registered themselves (RFC 7591). Anybody may register, so clients that no account has used are few
-- and end: the store deletes the oldest above a limit, and a loop deletes them after a day.
CREATE TABLE oauth_clients (
  client_id      text PRIMARY KEY CHECK (client_id ~ '^ocl_[0-9a-f]{32}$'),
  name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 80),
  redirect_uris  text[] NOT NULL CHECK (cardinality(redirect_uris) BETWEEN 1 AND 10),
  created_at     timestamptz NOT NULL DEFAULT now(),
  used_at        timestamptz
);
COMMENT ON COLUMN oauth_clients.used_at IS 'When an account last permitted the client something';
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at DESC, client_id) WHERE used_at IS NULL;
CREATE INDEX oauth_clients_used ON oauth_clients (used_at) WHERE used_at IS NOT NULL;

-- What an account permitted a client at one MCP endpoint. The key carries scopes, cap, spending, expiry and deletion,
-- so that a call under a grant is judged like a call with a key.
CREATE TABLE oauth_grants (
  grant_id       text PRIMARY KEY CHECK (grant_id ~ '^ogr_[0-9a-f]{32}$'),
  key_id         text NOT NULL UNIQUE REFERENCES api_keys,
  user_id        text NOT NULL REFERENCES users,
  client_id      text NOT NULL CHECK (length(client_id) <= 2048),
  redirect_host  text NOT NULL CHECK (length(redirect_host) <= 300),
  agent_id       text NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN oauth_grants.client_id IS 'A registered client, or the URL of a client metadata document';
COMMENT ON COLUMN oauth_grants.agent_id IS 'The audience: tokens of the grant are valid at the endpoint of this agent';
CREATE INDEX oauth_grants_client ON oauth_grants (client_id);

-- Authorization codes and tokens, each as its SHA-256. Used codes and refresh tokens stay for a while, so that a
-- second use is recognized and ends the grant, or within the grace gets the same successor (ADR 0194).
CREATE TABLE oauth_secrets (
  sha256          bytea PRIMARY KEY CHECK (length(sha256) = 32),
  kind            text NOT NULL CHECK (kind IN ('code', 'access', 'refresh')),
  grant_id        text NOT NULL REFERENCES oauth_grants,
  scopes          text[] NOT NULL CHECK (cardinality(scopes) > 0),
  redirect_uri    text CHECK (length(redirect_uri) <= 2048),
  code_challenge  text CHECK (length(code_challenge) BETWEEN 43 AND 128),
  expires_at      timestamptz NOT NULL,
  used_at         timestamptz,
  purge_at        timestamptz NOT NULL,
  successor_key   bytea CHECK (length(successor_key) = 32),
  CHECK ((kind = 'code') = (redirect_uri IS NOT NULL)),
  CHECK ((kind = 'code') = (code_challenge IS NOT NULL))
);
COMMENT ON COLUMN oauth_secrets.purge_at IS 'When the row is deleted; after a use, earlier than it would expire';
COMMENT ON COLUMN oauth_secrets.successor_key IS
  'Of a used refresh token: key of the HMAC of that token which is its successor';
CREATE INDEX oauth_secrets_grant ON oauth_secrets (grant_id);
CREATE INDEX oauth_secrets_purge ON oauth_secrets (purge_at);

-- Logins of devices without a browser (RFC 8628): few, and each ends after ten minutes.
CREATE TABLE oauth_devices (
  device_sha256     bytea PRIMARY KEY CHECK (length(device_sha256) = 32),
  user_code         text NOT NULL UNIQUE CHECK (user_code ~ '^[B-Z]{8}$'),
  client_id         text NOT NULL,
  scopes            text[] NOT NULL CHECK (cardinality(scopes) > 0),
  network           text NOT NULL CHECK (length(network) <= 60),
  state             text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'approved', 'denied')),
  user_id           text REFERENCES users,
  credit_cap_units  bigint CHECK (credit_cap_units >= 0),
  poll_seconds      int NOT NULL,
  polled_at         timestamptz,
  created_at        timestamptz NOT NULL DEFAULT now(),
  expires_at        timestamptz NOT NULL,
  CHECK ((state = 'pending') = (user_id IS NULL))
);
COMMENT ON COLUMN oauth_devices.network IS 'Address that began the login; the page shows it';
CREATE INDEX oauth_devices_expiry ON oauth_devices (expires_at);

GRANT SELECT, INSERT, DELETE ON oauth_devices TO market_app;
GRANT UPDATE (state, user_id, credit_cap_units, poll_seconds, polled_at) ON oauth_devices TO market_app;
GRANT SELECT, DELETE ON oauth_clients, oauth_secrets TO market_app;
GRANT INSERT (client_id, name, redirect_uris) ON oauth_clients TO market_app;
GRANT UPDATE (used_at) ON oauth_clients TO market_app;
GRANT SELECT, INSERT ON oauth_grants TO market_app;
GRANT INSERT ON oauth_secrets TO market_app;
GRANT UPDATE (used_at, purge_at, successor_key) ON oauth_secrets TO market_app;

-- migrate:down

DROP TABLE oauth_devices;
DROP TABLE oauth_secrets;
DROP TABLE oauth_grants;
DROP TABLE oauth_clients;
