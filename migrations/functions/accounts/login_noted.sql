-- Keeps from which networks an account was logged in, and writes a notice about one that is new. The first network of an account,
-- which is that of its sign-up, is no news.
-- Called by: src/stores/accounts/alerts.ts.
-- Locks: the row of account and network.
CREATE OR REPLACE FUNCTION login_noted(account text, from_network text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  is_new boolean;
BEGIN
  INSERT INTO login_places AS p (user_id, network) VALUES (account, from_network)
    ON CONFLICT (user_id, network) DO UPDATE SET last_at = now() RETURNING p.first_at = p.last_at INTO is_new;
  IF is_new AND EXISTS (SELECT FROM login_places p WHERE p.user_id = account AND p.network <> from_network) THEN
    PERFORM notice_record('login.new', jsonb_build_object('network', from_network), ARRAY[account], NULL);
    DELETE FROM login_places p WHERE p.user_id = account AND p.last_at < now() - interval '1 year';
  END IF;
END $$;

REVOKE ALL ON FUNCTION login_noted FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION login_noted TO market_app;
