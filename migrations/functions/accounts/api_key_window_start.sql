-- The beginning of the window in which the credit cap of a key counts at a time, in UTC; a week begins on Monday.
-- Called by: api_key_count_spending, api_key_window_used.
-- Locks: none.
CREATE OR REPLACE FUNCTION api_key_window_start(cap_window text, at timestamptz) RETURNS timestamptz
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT CASE cap_window WHEN 'lifetime' THEN '-infinity'::timestamptz
    ELSE date_trunc(cap_window, at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' END
$$;

REVOKE ALL ON FUNCTION api_key_window_start FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION api_key_window_start TO market_app;
