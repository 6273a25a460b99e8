-- What the milestones of a job have earned of its price, in whole credits, and the terms of earning_matures_ms. 0 for any
-- other call.
-- Called by: dispute_open, invocation_refund.
-- Locks: none; the caller has locked the invocation, so no milestone is added.
CREATE OR REPLACE FUNCTION invocation_earned(id text, OUT units bigint, OUT terms jsonb)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  units := 0;
  IF NOT coalesce((SELECT i.is_task FROM invocations i WHERE i.invocation_id = id), false) THEN RETURN; END IF;
  SELECT h.amount_units * j.reached_percent / 10000 * 100, j.earning_terms INTO units, terms
    FROM jobs j JOIN holds h USING (invocation_id) WHERE j.invocation_id = id AND j.reached_percent > 0;
  units := coalesce(units, 0);
END $$;

REVOKE ALL ON FUNCTION invocation_earned FROM PUBLIC, market_app;
