-- Locks a slash and returns it.
-- Called by: slash_counter, slash_end_top_up, slash_resolve.
-- Locks: the slash, then the bond of its developer.
CREATE OR REPLACE FUNCTION slash_lock(id text) RETURNS slashes
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE slash slashes%ROWTYPE;
BEGIN
  SELECT s.* INTO STRICT slash FROM slashes s WHERE s.slash_id = id FOR NO KEY UPDATE;
  PERFORM bond_lock(slash.developer_user_id);
  RETURN slash;
END $$;

REVOKE ALL ON FUNCTION slash_lock FROM PUBLIC, market_app;
