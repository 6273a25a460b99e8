-- Keeps the encrypted input or output of a call for the account that pays it. The input comes first, when the call is
-- forwarded; without it, no output is kept. Without a body, it notes that the part was too large. Returns false, and
-- keeps nothing, if the account does not keep bodies any more, has erased those of this call, or has as many bytes kept
-- as the quota.
-- Called by: src/stores/calls/kept-bodies.ts.
-- Locks: the row of the call, then the account's stored bytes.
CREATE OR REPLACE FUNCTION kept_body_add(id text, buyer text, part text, body bytea, quota bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  days    integer := (SELECT u.keep_days FROM users u WHERE u.user_id = buyer);
  -- The end of a UTC day, so that an account has few counts of stored bytes.
  expires timestamptz := (date_trunc('day', now() AT TIME ZONE 'UTC') + (days + 1) * interval '1 day') AT TIME ZONE 'UTC';
  large   text[] := CASE WHEN body IS NULL THEN ARRAY[part] ELSE '{}' END;
  counted bigint;
BEGIN
  IF coalesce(days, 0) = 0 THEN RETURN false; END IF;
  IF part = 'input' THEN
    INSERT INTO kept_bodies (invocation_id, buyer_user_id, input, too_large, expires_at)
    VALUES (id, buyer, body, large, expires) ON CONFLICT DO NOTHING;
  ELSE
    UPDATE kept_bodies k SET output = body, too_large = k.too_large || large
      WHERE k.invocation_id = id AND k.output IS NULL AND NOT 'output' = ANY (k.too_large)
      RETURNING k.expires_at INTO expires;
  END IF;
  IF NOT FOUND THEN RETURN false; END IF;
  -- Kept bodies are counted apart from the other stored bytes of the account.
  IF body IS NULL OR stored_bytes_keep(buyer || '/kept', false, length(body), expires, quota) THEN RETURN true; END IF;
  -- Of the deleted row, only the input before an output has been counted.
  DELETE FROM kept_bodies k WHERE k.invocation_id = id
    RETURNING CASE WHEN part = 'output' THEN length(k.input) END INTO counted;
  PERFORM stored_bytes_release(buyer || '/kept', coalesce(counted, 0), expires);
  RETURN false;
END $$;

REVOKE ALL ON FUNCTION kept_body_add FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION kept_body_add TO market_app;
