-- Holds the price of accepted calls and starts them. A call whose wallet is short fails with insufficient_credits.
-- outcome: held (the hold is open, now or since an earlier attempt), or the status that was decided before.
-- Called by: dispute_open, invocation_hold_forward, src/stores/calls/invocations.ts.
-- Locks: the invocations in id order, then those of ledger_hold.
CREATE OR REPLACE FUNCTION invocation_hold(ids text[], lease_ms integer)
RETURNS TABLE (ord integer, outcome text, status text, error_code text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE call invocations%ROWTYPE; held text;
BEGIN
  IF cardinality(ids) > 1 THEN
    PERFORM invocation_lock(ids);
    PERFORM ledger_lock(ARRAY(SELECT a.account_id FROM accounts a JOIN invocations i ON i.buyer_user_id = a.user_id
      WHERE i.invocation_id = ANY (ids) AND a.kind IN ('wallet', 'escrow')));
  END IF;
  FOR ord IN 1 .. cardinality(ids) LOOP
    SELECT i.* INTO STRICT call FROM invocations i WHERE i.invocation_id = ids[ord] FOR NO KEY UPDATE;
    IF call.status = 'pending' THEN
      SELECT h.outcome INTO STRICT held FROM ledger_hold(
        ARRAY[call.invocation_id], ARRAY[call.buyer_user_id], ARRAY[call.developer_user_id], ARRAY[call.agent_id],
        ARRAY[call.version_id], ARRAY[call.price_units], ARRAY[now() + lease_ms * interval '1 millisecond'],
        ARRAY[call.trace_id]) h;
      IF held = 'insufficient' THEN
        UPDATE invocations i SET status = 'failed', error_code = 'insufficient_credits', settled_at = now()
          WHERE i.invocation_id = call.invocation_id RETURNING * INTO call;
      ELSE
        UPDATE invocations i SET status = 'running' WHERE i.invocation_id = call.invocation_id RETURNING * INTO call;
      END IF;
    END IF;
    outcome := CASE call.status WHEN 'running' THEN 'held' ELSE call.status END;
    status := call.status;
    error_code := call.error_code;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_hold FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_hold TO market_app;
