-- Requests for access to private agents, by a link that the owner of the agent makes (ADR 0385).

-- migrate:up

CREATE TABLE agent_access_links (
  agent_id      text PRIMARY KEY REFERENCES agents,
  token_sha256  bytea NOT NULL UNIQUE CHECK (octet_length(token_sha256) = 32),
  made_at       timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE agent_access_links IS 'The link of an agent by which accounts may ask for access; its token is stored as a hash';
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_access_links TO market_app;

CREATE TABLE agent_access_requests (
  request_id         text PRIMARY KEY CHECK (request_id ~ '^acr_[0-9a-f]{32}$'),
  agent_id           text NOT NULL REFERENCES agents,
  developer_user_id  text NOT NULL REFERENCES users,
  owner_id           text NOT NULL REFERENCES users,
  reason             text NOT NULL CHECK (length(reason) BETWEEN 1 AND 1000),
  state              text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'granted', 'refused')),
  asked_at           timestamptz NOT NULL DEFAULT now(),
  decided_at         timestamptz,
  CONSTRAINT agent_access_requests_decided CHECK ((state = 'pending') = (decided_at IS NULL))
);
COMMENT ON TABLE agent_access_requests IS 'Accounts that asked to see a private agent';
COMMENT ON COLUMN agent_access_requests.developer_user_id IS 'The owner of the agent, who decides';
COMMENT ON COLUMN agent_access_requests.owner_id IS 'The account or organisation that asks';
CREATE UNIQUE INDEX agent_access_requests_pending ON agent_access_requests (agent_id, owner_id) WHERE state = 'pending';
CREATE INDEX agent_access_requests_agent ON agent_access_requests (agent_id, request_id DESC);
CREATE INDEX agent_access_requests_owner ON agent_access_requests (owner_id, request_id DESC);
CREATE INDEX agent_access_requests_waiting ON agent_access_requests (developer_user_id, request_id DESC) WHERE state = 'pending';
CREATE TRIGGER agent_access_requests_notice AFTER INSERT OR UPDATE OF state ON agent_access_requests FOR EACH ROW
  EXECUTE FUNCTION access_request_noted();
GRANT SELECT, INSERT, UPDATE ON agent_access_requests TO market_app;

-- migrate:down

DROP TRIGGER IF EXISTS agent_access_requests_notice ON agent_access_requests;
DROP TABLE agent_access_requests;
DROP TABLE agent_access_links;
DROP FUNCTION IF EXISTS access_request_noted();
DELETE FROM notice_mails WHERE notice_id IN (SELECT notice_id FROM account_notices WHERE type LIKE 'access.%');
DELETE FROM account_notices WHERE type LIKE 'access.%';
