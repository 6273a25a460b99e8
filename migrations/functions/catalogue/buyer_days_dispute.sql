-- Counts up to `most` charges that disputes took back as failures of their days. Days that are no longer stored are
-- left out.
-- Called by: src/stores/catalogue/agent-stats.ts.
-- Locks: disputes, skipping locked ones, then those of buyer_days_add.
CREATE OR REPLACE FUNCTION buyer_days_dispute(most integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE items jsonb;
BEGIN
  WITH taken AS (
    DELETE FROM buyer_day_disputes d WHERE d.ctid = ANY (ARRAY(
      SELECT w.ctid FROM buyer_day_disputes w LIMIT most FOR UPDATE SKIP LOCKED))
    RETURNING d.agent_id, d.day, d.buyer_user_id
  ), counted AS (
    SELECT t.agent_id, t.day, t.buyer_user_id, least(count(*), b.succeeded) AS calls
    FROM taken t JOIN buyer_days b USING (agent_id, day, buyer_user_id) GROUP BY 1, 2, 3, b.succeeded
  )
  SELECT jsonb_agg(jsonb_build_object('agent_id', c.agent_id, 'day', c.day, 'buyer_user_id', c.buyer_user_id,
    'succeeded', -c.calls, 'refused', 0, 'failed', c.calls)) INTO items FROM counted c WHERE c.calls > 0;
  IF items IS NOT NULL THEN
    PERFORM buyer_days_add(items);
  END IF;
END $$;

REVOKE ALL ON FUNCTION buyer_days_dispute FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION buyer_days_dispute TO market_app;
