-- Records the developer's counter-argument. Returns the status of the slash.
-- Called by: src/stores/bonds/slashes.ts.
-- Locks: the slash, then the bond.
CREATE OR REPLACE FUNCTION slash_counter(id text, text_id text, as_of timestamptz) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE slash slashes := slash_lock(id);
BEGIN
  UPDATE slashes s SET status = 'contested', countered_at = as_of, counter_id = text_id
    WHERE s.slash_id = id AND s.status = 'applied' RETURNING s.* INTO slash;
  IF NOT FOUND THEN
    SELECT s.* INTO STRICT slash FROM slashes s WHERE s.slash_id = id;
  END IF;
  RETURN slash.status;
END $$;

REVOKE ALL ON FUNCTION slash_counter FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION slash_counter TO market_app;
