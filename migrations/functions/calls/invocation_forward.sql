-- Grants the right to send a call to its agent: once, while the hold is open and its lease runs. Calls that are
-- `repeatable` may be sent again. Outcomes: granted | resolved | already_forwarded | lapsed.
-- Called by: invocation_hold_forward, src/stores/calls/invocations.ts.
-- Locks: the hold.
CREATE OR REPLACE FUNCTION invocation_forward(id text, lease_ms integer, repeatable boolean)
RETURNS TABLE (outcome text, status text, error_code text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE hold holds%ROWTYPE;
BEGIN
  UPDATE holds h SET forwarded_at = now(), forward_count = h.forward_count + 1,
      lease_until = now() + lease_ms * interval '1 millisecond'
    WHERE h.invocation_id = id AND h.state = 'open' AND h.lease_until > now()
      AND (h.forwarded_at IS NULL OR repeatable);
  IF FOUND THEN
    outcome := 'granted';
  ELSE
    SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = id;
    outcome := CASE
      WHEN hold.state IS DISTINCT FROM 'open' THEN 'resolved'
      WHEN hold.forwarded_at IS NOT NULL THEN 'already_forwarded'
      ELSE 'lapsed' END;
  END IF;
  SELECT i.status, i.error_code INTO STRICT status, error_code FROM invocations i WHERE i.invocation_id = id;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION invocation_forward FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_forward TO market_app;
