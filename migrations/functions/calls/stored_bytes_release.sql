-- Takes bytes of paid calls that are no longer kept for an account off the count of the hour in which they would have
-- expired. A count never falls below zero.
-- Called by: kept_bodies_erase, kept_body_add.
-- Locks: the row of the account and the hour.
CREATE OR REPLACE FUNCTION stored_bytes_release(account text, size bigint, expires timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE stored_bytes s SET paid_bytes = greatest(s.paid_bytes - size, 0)
    WHERE s.user_id = account AND s.until = date_trunc('hour', expires) + interval '1 hour';
$$;

REVOKE ALL ON FUNCTION stored_bytes_release FROM PUBLIC, market_app;
