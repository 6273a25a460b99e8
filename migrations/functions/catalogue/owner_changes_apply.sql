-- Counts the stored days of up to `most` accounts whose relations changed as these are now: a day that became related to its developer is
-- taken out, and days of accounts that turned out to be one buyer become its days. Outcomes of related buyers are no longer open to
-- verification, and their reviews count no more. Returns how many accounts it looked at.
-- Called by: src/stores/catalogue/agent-stats.ts.
-- Locks: changes, skipping locked ones, then days of buyers, then those of counted_days_add, then agent_stats.
CREATE OR REPLACE FUNCTION owner_changes_apply(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  changed text[];
  moved   jsonb;
BEGIN
  WITH taken AS (
    DELETE FROM owner_changes o WHERE o.ctid = ANY (ARRAY(
      SELECT c.ctid FROM owner_changes c ORDER BY c.user_id LIMIT most FOR UPDATE SKIP LOCKED))
    RETURNING o.user_id)
  SELECT array_agg(t.user_id) INTO changed FROM taken t;
  IF changed IS NULL THEN RETURN 0; END IF;
  PERFORM FROM buyer_days b WHERE b.buyer_user_id = ANY (changed) ORDER BY b.agent_id, b.day, b.buyer_user_id FOR UPDATE;
  WITH pairs AS (
    SELECT p.buyer_user_id, p.agent_id, counted_unit(p.buyer_user_id, g.developer_user_id) AS unit_id
      FROM (SELECT DISTINCT b.buyer_user_id, b.agent_id FROM buyer_days b WHERE b.buyer_user_id = ANY (changed)) p
      JOIN agents g USING (agent_id)
  ), updated AS (
    UPDATE buyer_days b SET unit_id = p.unit_id, open_succeeded = b.open_succeeded AND p.unit_id IS NOT NULL,
      open_refused = b.open_refused AND p.unit_id IS NOT NULL, open_failed = b.open_failed AND p.unit_id IS NOT NULL
      FROM pairs p WHERE b.buyer_user_id = p.buyer_user_id AND b.agent_id = p.agent_id AND b.unit_id IS DISTINCT FROM p.unit_id
    RETURNING new.agent_id, new.day, old.unit_id AS from_unit, new.unit_id AS to_unit, new.succeeded, new.failed
  ), parts AS (
    SELECT u.agent_id, u.day, u.from_unit AS unit_id, -u.succeeded AS succeeded, -u.failed AS failed, NULL::smallint AS bucket,
      NULL::smallint AS job_bucket
      FROM updated u WHERE u.from_unit IS NOT NULL AND u.succeeded + u.failed > 0
    UNION ALL
    SELECT u.agent_id, u.day, u.to_unit, u.succeeded, u.failed, c.bucket, c.job_bucket
      FROM updated u LEFT JOIN counted_days c ON c.agent_id = u.agent_id AND c.day = u.day AND c.unit_id = u.from_unit
     WHERE u.to_unit IS NOT NULL AND u.succeeded + u.failed > 0
  )
  SELECT jsonb_agg(to_jsonb(p)) INTO moved FROM parts p;
  IF moved IS NOT NULL THEN
    PERFORM counted_days_add(moved);
    INSERT INTO agent_stats (agent_id, due_at)
    SELECT m.agent_id, clock_timestamp() FROM jsonb_to_recordset(moved) AS m(agent_id text) GROUP BY 1 ORDER BY 1
    ON CONFLICT (agent_id) DO UPDATE SET due_at = clock_timestamp();
  END IF;
  UPDATE reviews r SET unit_id = counted_unit(r.buyer_user_id, r.developer_user_id)
   WHERE r.buyer_user_id = ANY (changed)
     AND r.unit_id IS DISTINCT FROM counted_unit(r.buyer_user_id, r.developer_user_id);
  RETURN array_length(changed, 1);
END $$;

REVOKE ALL ON FUNCTION owner_changes_apply FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION owner_changes_apply TO market_app;
