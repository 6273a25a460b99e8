-- Counts bytes that are to be kept for an account until a time. Returns false, and counts nothing, if what the account
-- has stored of free or of paid calls is at its quota already. Without a quota, it only counts.
-- Called by: invocation_settle, kept_body_add, src/stores/calls/stored-bytes.ts,
-- src/stores/webhooks/webhook-deliveries.ts.
-- Locks: the row of the account and the hour.
CREATE OR REPLACE FUNCTION stored_bytes_keep(account text, is_free boolean, size bigint, expires timestamptz, quota bigint)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF quota <= (SELECT coalesce(sum(CASE WHEN is_free THEN s.free_bytes ELSE s.paid_bytes END), 0) FROM stored_bytes s
      WHERE s.user_id = account AND s.until > now()) THEN
    RETURN false;
  END IF;
  INSERT INTO stored_bytes AS s (user_id, until, free_bytes, paid_bytes)
  VALUES (account, date_trunc('hour', expires) + interval '1 hour',
    CASE WHEN is_free THEN size ELSE 0 END, CASE WHEN is_free THEN 0 ELSE size END)
  ON CONFLICT (user_id, until) DO UPDATE
    SET free_bytes = s.free_bytes + EXCLUDED.free_bytes, paid_bytes = s.paid_bytes + EXCLUDED.paid_bytes;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION stored_bytes_keep FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION stored_bytes_keep TO market_app;
