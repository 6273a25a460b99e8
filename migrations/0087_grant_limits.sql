-- The limits of a grant for the whole market (ADR 0334): a cap that counts by day, week or month, the most that a call
-- may cost, a floor of trust, and a list of agents. They belong to the key of the grant, where calls are decided.

-- migrate:up

ALTER TABLE api_keys
  ADD COLUMN cap_window text NOT NULL DEFAULT 'lifetime' CHECK (cap_window IN ('lifetime', 'day', 'week', 'month')),
  ADD COLUMN window_began_at timestamptz,
  ADD COLUMN window_units bigint NOT NULL DEFAULT 0 CHECK (window_units >= 0),
  ADD COLUMN call_cap_units bigint CHECK (call_cap_units >= 0),
  ADD COLUMN least_trust smallint CHECK (least_trust BETWEEN 0 AND 100),
  ADD COLUMN only_agents text[] CHECK (cardinality(only_agents) BETWEEN 1 AND 40),
  DROP CONSTRAINT api_keys_check,
  ADD CONSTRAINT api_keys_spent_within_cap CHECK (cap_window <> 'lifetime' OR spent_units <= credit_cap_units);
COMMENT ON COLUMN api_keys.cap_window IS 'What the credit cap counts: the spending of the lifetime, or of a UTC day, week or month';
COMMENT ON COLUMN api_keys.window_began_at IS 'Beginning of the window that window_units counts; null before the first charge';
COMMENT ON COLUMN api_keys.window_units IS 'Charges of calls that ended in that window and were not taken back; kept by api_key_count_spending';
COMMENT ON COLUMN api_keys.call_cap_units IS 'The most that one call may hold';
COMMENT ON COLUMN api_keys.least_trust IS 'Only agents with at least this trust score may be called';
COMMENT ON COLUMN api_keys.only_agents IS 'Only these agents may be called';
GRANT INSERT (cap_window, call_cap_units, least_trust, only_agents), UPDATE (credit_cap_units, cap_window, call_cap_units, least_trust, only_agents)
  ON api_keys TO market_app;

ALTER TABLE oauth_grants ALTER COLUMN agent_id DROP NOT NULL;
COMMENT ON COLUMN oauth_grants.agent_id IS 'The audience: tokens are valid at the endpoint of this agent; null for that of the market';

-- migrate:down

UPDATE api_keys SET deleted_at = coalesce(deleted_at, now()) WHERE key_id IN
  (SELECT key_id FROM oauth_grants WHERE agent_id IS NULL);
DELETE FROM oauth_secrets WHERE grant_id IN (SELECT grant_id FROM oauth_grants WHERE agent_id IS NULL);
DELETE FROM oauth_grants WHERE agent_id IS NULL;
ALTER TABLE oauth_grants ALTER COLUMN agent_id SET NOT NULL;
COMMENT ON COLUMN oauth_grants.agent_id IS 'The audience: tokens of the grant are valid at the endpoint of this agent';
UPDATE api_keys SET credit_cap_units = spent_units WHERE cap_window <> 'lifetime' AND credit_cap_units < spent_units;
ALTER TABLE api_keys
  DROP CONSTRAINT api_keys_spent_within_cap,
  DROP COLUMN cap_window, DROP COLUMN window_began_at, DROP COLUMN window_units, DROP COLUMN call_cap_units,
  DROP COLUMN least_trust, DROP COLUMN only_agents,
  ADD CONSTRAINT api_keys_check CHECK (spent_units <= credit_cap_units);
