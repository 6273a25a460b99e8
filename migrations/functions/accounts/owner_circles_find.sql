-- Looks for circles of money through up to `most` changed flows: A paid B, and B paid A, or C which paid A, in this
-- UTC month and the three before it, where the smallest sum is at least a tenth of the largest. The accounts of a circle are
-- related in pairs. Also deletes flows that are older than six months. Returns how many flows it looked at.
-- Called by: src/stores/accounts/owner-signs.ts.
-- Locks: flows, skipping locked ones, then circles in the order of their key.
CREATE OR REPLACE FUNCTION owner_circles_find(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  since  date := (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '3 months')::date;
  flow   record;
  looked integer := 0;
BEGIN
  FOR flow IN
    UPDATE money_flows f SET is_due = false WHERE f.ctid = ANY (ARRAY(
      SELECT d.ctid FROM money_flows d WHERE d.is_due ORDER BY d.payer_user_id, d.developer_user_id, d.month
      LIMIT most FOR UPDATE SKIP LOCKED))
    RETURNING f.payer_user_id AS a, f.developer_user_id AS b
  LOOP
    looked := looked + 1;
    WITH found AS (INSERT INTO owner_circles AS o (first_user_id, second_user_id, smallest_units, largest_units, through)
    SELECT DISTINCT ON (1, 2) least(p.one, p.other), greatest(p.one, p.other), c.smallest, c.largest,
      CASE WHEN c.third IS NULL THEN NULL ELSE p.through END
    FROM (
      SELECT NULL::text AS third, least(there.units, back.units) AS smallest, greatest(there.units, back.units) AS largest
      FROM money_flow(flow.a, flow.b, since) there(units), money_flow(flow.b, flow.a, since) back(units)
      UNION ALL
      SELECT n.user_id, least(there.units, onward.units, back.units), greatest(there.units, onward.units, back.units)
      FROM (SELECT DISTINCT m.developer_user_id AS user_id FROM money_flows m
             WHERE m.payer_user_id = flow.b AND m.developer_user_id <> flow.a LIMIT 200) n,
        money_flow(flow.a, flow.b, since) there(units), money_flow(flow.b, n.user_id, since) onward(units),
        money_flow(n.user_id, flow.a, since) back(units)) c
    CROSS JOIN LATERAL (VALUES (flow.a, flow.b, c.third), (flow.b, c.third, flow.a), (c.third, flow.a, flow.b))
      p(one, other, through)
    WHERE c.smallest > 0 AND c.smallest * 10 >= c.largest AND p.one IS NOT NULL AND p.other IS NOT NULL
    ORDER BY 1, 2, c.smallest DESC
    ON CONFLICT (first_user_id, second_user_id) DO UPDATE SET smallest_units = excluded.smallest_units,
      largest_units = excluded.largest_units, through = excluded.through, last_at = now()
    RETURNING first_user_id, second_user_id)
    INSERT INTO owner_changes (user_id)
    SELECT f.first_user_id FROM found f UNION SELECT f.second_user_id FROM found f ORDER BY 1
    ON CONFLICT (user_id) DO NOTHING;
  END LOOP;
  DELETE FROM money_flows f WHERE f.ctid = ANY (ARRAY(
    SELECT o.ctid FROM money_flows o WHERE o.month < since - interval '3 months' ORDER BY o.month LIMIT most));
  RETURN looked;
END $$;

REVOKE ALL ON FUNCTION owner_circles_find FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION owner_circles_find TO market_app;
