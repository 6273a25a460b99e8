-- Ends a running call because of a dispute: returns its hold in full and notifies all processes that wait. Returns the
-- amount. The error code says that the buyer ended it, so that it does not count against the agent.
-- Called by: dispute_open.
-- Locks: those of ledger_void; the caller has locked the invocation.
CREATE OR REPLACE FUNCTION dispute_stop_call(invocation text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE voided record;
BEGIN
  SELECT v.outcome, v.amount_units INTO STRICT voided FROM ledger_void(ARRAY[invocation], ARRAY[true]) v;
  IF voided.outcome <> 'disputed' THEN
    RAISE EXCEPTION 'running call % cannot be disputed: %', invocation, voided.outcome USING ERRCODE = '23514';
  END IF;
  UPDATE invocations i SET status = 'disputed', settled_at = now(), charged_units = 0,
      error_code = 'already_disputed'
    WHERE i.invocation_id = invocation;
  DELETE FROM invocation_waiters w WHERE w.invocation_id = invocation;
  PERFORM pg_notify('invocation_settled', invocation);
  RETURN voided.amount_units;
END $$;

REVOKE ALL ON FUNCTION dispute_stop_call FROM PUBLIC, market_app;
