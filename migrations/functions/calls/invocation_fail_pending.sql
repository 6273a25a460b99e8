-- Undoes the accept of a call whose workflow may not run. A call that has its hold goes on. Outcomes: failed | kept.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: the invocation.
CREATE OR REPLACE FUNCTION invocation_fail_pending(id text, code text)
RETURNS TABLE (outcome text, status text, error_code text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  UPDATE invocations i SET status = 'failed', settled_at = now(), error_code = code, charged_units = 0
    WHERE i.invocation_id = id AND i.status = 'pending';
  outcome := CASE WHEN FOUND THEN 'failed' ELSE 'kept' END;
  IF FOUND THEN PERFORM invocation_tell(id); END IF;
  SELECT i.status, i.error_code INTO STRICT status, error_code FROM invocations i WHERE i.invocation_id = id;
  RETURN NEXT;
END $$;

REVOKE ALL ON FUNCTION invocation_fail_pending FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_fail_pending TO market_app;
