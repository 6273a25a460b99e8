-- The bytes that are stored for an account and have not expired, of free and of paid calls.
-- Called by: src/stores/calls/stored-bytes.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION stored_bytes_of(account text, OUT free bigint, OUT paid bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT coalesce(sum(s.free_bytes), 0), coalesce(sum(s.paid_bytes), 0) FROM stored_bytes s
    WHERE s.user_id = account AND s.until > now()
$$;

REVOKE ALL ON FUNCTION stored_bytes_of FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION stored_bytes_of TO market_app;
