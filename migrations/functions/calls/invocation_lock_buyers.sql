-- Locks what the acceptance of several calls moves, so that two batches cannot deadlock.
-- Called by: invocation_accept, invocation_accept_permit.
-- Locks: the buyers' wallets in id order, then the advisory locks of agents with a limit of their own, in the order of
-- their ids, then the counters of free calls in the order of their keys.
CREATE OR REPLACE FUNCTION invocation_lock_buyers(items jsonb) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  buyers text[] := ARRAY(SELECT i ->> 'buyer_user_id' FROM jsonb_array_elements(items) i);
BEGIN
  PERFORM 1 FROM accounts a
    WHERE a.kind = 'wallet' AND a.user_id = ANY (buyers)
    ORDER BY a.account_id FOR NO KEY UPDATE;
  PERFORM pg_advisory_xact_lock(hashtextextended('agent/' || limited.agent, 0)) FROM (
    SELECT DISTINCT i ->> 'agent_id' AS agent FROM jsonb_array_elements(items) i
    WHERE i ->> 'max_concurrency' IS NOT NULL ORDER BY 1) limited;
  PERFORM 1 FROM free_calls f
    WHERE f.month = free_calls_month() AND f.buyer_user_id = ANY (buyers) AND f.agent_id = ANY (
      ARRAY(SELECT i ->> 'agent_id' FROM jsonb_array_elements(items) i))
    ORDER BY f.buyer_user_id, f.agent_id FOR NO KEY UPDATE;
END $$;

REVOKE ALL ON FUNCTION invocation_lock_buyers FROM PUBLIC, market_app;
