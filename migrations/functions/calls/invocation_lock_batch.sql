-- Locks everything that a batch of calls moves, so that two batches cannot deadlock. A single call locks its holds and
-- accounts when it reaches them.
-- Called by: invocation_refund, invocation_settle.
-- Locks: the invocations in id order; for more than one call also those of ledger_lock_holds, then the counters of
-- their free calls, then the mandates, root first.
CREATE OR REPLACE FUNCTION invocation_lock_batch(ids text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM invocation_lock(ids);
  IF cardinality(ids) > 1 THEN
    PERFORM ledger_lock_holds(ids);
    PERFORM FROM free_calls f WHERE (f.month, f.buyer_user_id, f.agent_id) IN (
        SELECT i.free_month, i.buyer_user_id, i.agent_id FROM invocations i
        WHERE i.invocation_id = ANY (ids) AND i.free)
      ORDER BY f.month, f.buyer_user_id, f.agent_id FOR NO KEY UPDATE;
    PERFORM FROM mandates m WHERE (m.issuer_user_id, m.root_jti) IN (
        SELECT u.issuer_user_id, u.root_jti FROM invocations i JOIN mandates u
          ON u.issuer_user_id = i.buyer_user_id AND u.mandate_id = i.mandate_id
        WHERE i.invocation_id = ANY (ids))
      ORDER BY m.issuer_user_id, m.depth, m.mandate_id FOR NO KEY UPDATE;
  END IF;
END $$;

REVOKE ALL ON FUNCTION invocation_lock_batch FROM PUBLIC, market_app;
