-- Locks the wallet of the owner of API keys, so that no call is decided by their limits until the transaction ends.
-- Called by: src/stores/oauth/oauth-grants.ts.
-- Locks: the wallet.
CREATE OR REPLACE FUNCTION api_key_limits_lock(owner text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM accounts a WHERE a.user_id = owner AND a.kind = 'wallet' FOR NO KEY UPDATE;
END $$;

REVOKE ALL ON FUNCTION api_key_limits_lock FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION api_key_limits_lock TO market_app;
