-- API keys that make narrower keys (ADR 0299), and notices about budgets, balances, keys and logins (ADR 0294).

-- migrate:up

ALTER TABLE api_keys ADD COLUMN parent_key_id text REFERENCES api_keys;
COMMENT ON COLUMN api_keys.parent_key_id IS 'The key that made this one: it ends with it, and its limits hold for both';
CREATE INDEX api_keys_children ON api_keys (parent_key_id, key_id) WHERE parent_key_id IS NOT NULL;
GRANT INSERT (parent_key_id) ON api_keys TO market_app;

ALTER TABLE api_keys
  ADD COLUMN told_percent smallint NOT NULL DEFAULT 0 CHECK (told_percent IN (0, 80, 100)),
  ADD COLUMN expiry_told_at timestamptz;
ALTER TABLE budgets ADD COLUMN told_percent smallint NOT NULL DEFAULT 0 CHECK (told_percent IN (0, 80, 100));
COMMENT ON COLUMN api_keys.told_percent IS 'The highest percentage of the cap for which a notice was written in its window';
COMMENT ON COLUMN api_keys.expiry_told_at IS 'When the notice that the key expires soon was written';
COMMENT ON COLUMN budgets.told_percent IS 'The highest percentage of the budget for which a notice was written in its window';
CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE kind = 'key' AND deleted_at IS NULL AND expiry_told_at IS NULL
  AND expires_at IS NOT NULL;
CREATE TRIGGER api_keys_notice AFTER INSERT ON api_keys FOR EACH ROW WHEN (NEW.parent_key_id IS NULL)
  EXECUTE FUNCTION api_key_noted();

CREATE TABLE balance_alerts (
  user_id      text PRIMARY KEY REFERENCES users,
  below_units  bigint NOT NULL CHECK (below_units > 0),
  told_at      timestamptz
);
COMMENT ON TABLE balance_alerts IS 'An account gets a notice when its wallet holds less';
COMMENT ON COLUMN balance_alerts.told_at IS 'Null while the wallet holds as much';
GRANT SELECT, INSERT, UPDATE (below_units, told_at), DELETE ON balance_alerts TO market_app;

CREATE TABLE login_places (
  user_id   text NOT NULL,
  network   text NOT NULL CHECK (length(network) <= 100),
  first_at  timestamptz NOT NULL DEFAULT now(),
  last_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, network)
);
COMMENT ON TABLE login_places IS 'From which networks accounts were logged in within a year';
GRANT SELECT ON login_places TO market_app;

DROP FUNCTION IF EXISTS budget_judge(jsonb, boolean, boolean, bigint);
DROP FUNCTION IF EXISTS budget_limits(text, text, text[]);

-- migrate:down

DROP FUNCTION IF EXISTS budget_judge(jsonb, boolean, bigint, text);
DROP FUNCTION IF EXISTS budget_limits(text, text[], text[]);

DROP TRIGGER IF EXISTS api_keys_notice ON api_keys;
DROP TABLE login_places, balance_alerts;
ALTER TABLE budgets DROP COLUMN told_percent;
ALTER TABLE api_keys DROP COLUMN told_percent, DROP COLUMN expiry_told_at;
UPDATE api_keys SET deleted_at = coalesce(deleted_at, now()) WHERE parent_key_id IS NOT NULL;
ALTER TABLE api_keys DROP COLUMN parent_key_id;
