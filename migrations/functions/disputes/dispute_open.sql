-- Opens a dispute. A call in progress is stopped and refunded at once, unless pieces of its answer are being delivered:
-- such a stream is paid and can be disputed when it has ended, and so can a job that has reached milestones, or whose agent
-- has called its end back (ADR 0320). A call with a charge becomes a case. closes_at: until when a
-- call may be disputed.
-- Outcomes: refunded | opened | delivering | not_found | already_disputed | call_failed | window_closed.
-- Called by: src/stores/disputes/disputes.ts.
-- Locks: the invocation, then its hold, then those of invocation_hold, dispute_stop_call or dispute_mark_lot.
CREATE OR REPLACE FUNCTION dispute_open(
  id text, invocation text, buyer text, ground text, details text, window_ms bigint, response_ms bigint,
  as_of timestamptz, trace text, OUT outcome text, OUT closes_at timestamptz
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  call invocations%ROWTYPE;
  refunded bigint := 0;
BEGIN
  SELECT i.* INTO call FROM invocations i
    WHERE i.invocation_id = invocation AND i.buyer_user_id = buyer FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    -- A month is detached long after its last call could be disputed.
    SELECT CASE WHEN i.status = 'failed' AND coalesce(i.charged_units, 0) = 0 THEN 'call_failed'
        WHEN i.status = 'disputed' OR EXISTS (SELECT FROM disputes d WHERE d.invocation_id = invocation)
        THEN 'already_disputed' ELSE 'window_closed' END,
      coalesce(e.matures_at, i.settled_at + window_ms * interval '1 millisecond') INTO outcome, closes_at
      FROM all_invocations i LEFT JOIN all_earnings e USING (invocation_id)
      WHERE i.invocation_id = invocation AND i.buyer_user_id = buyer;
    outcome := coalesce(outcome, 'not_found');
    RETURN;
  END IF;
  IF call.status = 'pending' THEN
    -- The hold row decides here too: it is made, and voided at once.
    PERFORM FROM invocation_hold(ARRAY[invocation], 30000);
    SELECT i.* INTO STRICT call FROM invocations i WHERE i.invocation_id = invocation;
  END IF;
  IF call.status = 'disputed' OR EXISTS (SELECT FROM disputes d WHERE d.invocation_id = invocation) THEN
    outcome := 'already_disputed';
  ELSIF call.status = 'failed' AND coalesce(call.charged_units, 0) = 0 THEN
    outcome := 'call_failed';
  ELSIF call.status = 'running' THEN
    -- The lock decides between this dispute and invocation_deliver.
    PERFORM FROM holds h WHERE h.invocation_id = invocation FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM holds h WHERE h.invocation_id = invocation AND h.delivered_at IS NOT NULL)
      OR (invocation_earned(invocation)).units > 0
      OR call.is_task AND EXISTS (SELECT FROM job_ends e WHERE e.invocation_id = invocation) THEN
      outcome := 'delivering';
    ELSE
      outcome := 'refunded';
      refunded := dispute_stop_call(invocation);
    END IF;
  ELSE
    -- The terms of the call: its earnings mature when it can no longer be disputed.
    SELECT e.matures_at INTO closes_at FROM earnings e WHERE e.invocation_id = invocation;
    closes_at := coalesce(closes_at, call.settled_at + window_ms * interval '1 millisecond');
    outcome := CASE WHEN as_of < closes_at THEN 'opened' ELSE 'window_closed' END;
  END IF;
  IF outcome NOT IN ('refunded', 'opened') THEN
    RETURN;
  END IF;
  INSERT INTO disputes (dispute_id, invocation_id, buyer_user_id, developer_user_id, agent_id, reason, description,
    status, resolution, refunded_units, opened_at, respond_by, resolved_at, trace_id)
  VALUES (id, invocation, buyer, call.developer_user_id, call.agent_id, ground, details,
    CASE outcome WHEN 'opened' THEN 'open' ELSE 'won' END,
    CASE outcome WHEN 'opened' THEN NULL ELSE 'call_in_progress' END, refunded, as_of,
    CASE outcome WHEN 'opened' THEN as_of + response_ms * interval '1 millisecond' END,
    CASE outcome WHEN 'opened' THEN NULL ELSE as_of END, trace);
  IF outcome = 'opened' THEN
    PERFORM dispute_mark_lot(invocation, call.developer_user_id, true);
  END IF;
END $$;

REVOKE ALL ON FUNCTION dispute_open FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION dispute_open TO market_app;
