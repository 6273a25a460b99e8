-- Chooses the next lots of a payout: late ones, then those after the run's position, at most `chunk` of each. Returns
-- the lots, what they sum to, the disputed lots that the position passes, the next position, and whether there are no
-- more lots.
-- Called by: payout_reserve.
-- Locks: none of its own; the caller has locked payable.
CREATE OR REPLACE FUNCTION payout_choose_lots(
  place payout_cursors, monday timestamptz, chunk integer,
  OUT lot_ids text[], OUT units bigint, OUT first_at timestamptz, OUT last_at timestamptz, OUT passed_ids text[],
  OUT next_at timestamptz, OUT next_id text, OUT is_last boolean
)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  more record;
BEGIN
  SELECT coalesce(array_agg(l.invocation_id), '{}'), coalesce(sum(l.open_units), 0), min(l.matures_at),
         max(l.matures_at)
    INTO lot_ids, units, first_at, last_at FROM (
    SELECT e.invocation_id, e.matures_at, e.net_units - e.recovered_units AS open_units FROM earnings e
    WHERE e.developer_user_id = place.developer_user_id AND e.late AND e.payout_id IS NULL AND e.matures_at <= monday
      AND NOT e.dispute_open AND e.recovered_units < e.net_units
      AND (e.agent_id = ANY (place.agents)) = (place.pay_to <> '')
    ORDER BY e.matures_at, e.invocation_id LIMIT chunk) l;
  next_at := place.run_matures_at;
  next_id := place.run_invocation_id;
  passed_ids := '{}';
  is_last := false;
  IF cardinality(lot_ids) = chunk THEN
    RETURN;
  END IF;
  WITH next AS (
    SELECT e.invocation_id, e.matures_at, e.net_units - e.recovered_units AS open_units, e.dispute_open,
           NOT e.late AND e.payout_id IS NULL AND e.recovered_units < e.net_units
             AND (e.agent_id = ANY (place.agents)) = (place.pay_to <> '') AS is_due
    FROM earnings e WHERE e.developer_user_id = place.developer_user_id AND e.matures_at <= monday
      AND (e.matures_at, e.invocation_id) > (place.run_matures_at, place.run_invocation_id)
    ORDER BY e.matures_at, e.invocation_id LIMIT chunk
  )
  SELECT count(*) AS rows, coalesce(array_agg(n.invocation_id) FILTER (WHERE n.is_due AND NOT n.dispute_open), '{}') AS due,
         coalesce(array_agg(n.invocation_id) FILTER (WHERE n.is_due AND n.dispute_open), '{}') AS disputed,
         coalesce(sum(n.open_units) FILTER (WHERE n.is_due AND NOT n.dispute_open), 0) AS units,
         min(n.matures_at) FILTER (WHERE n.is_due AND NOT n.dispute_open) AS first_at,
         max(n.matures_at) FILTER (WHERE n.is_due AND NOT n.dispute_open) AS last_at,
         (array_agg(n.matures_at ORDER BY n.matures_at DESC, n.invocation_id DESC))[1] AS at,
         (array_agg(n.invocation_id ORDER BY n.matures_at DESC, n.invocation_id DESC))[1] AS id
    INTO more FROM next n;
  lot_ids := lot_ids || more.due;
  units := units + more.units;
  first_at := least(first_at, more.first_at);
  last_at := greatest(last_at, more.last_at);
  passed_ids := more.disputed;
  next_at := coalesce(more.at, next_at);
  next_id := coalesce(more.id, next_id);
  is_last := more.rows < chunk;
END $$;

REVOKE ALL ON FUNCTION payout_choose_lots FROM PUBLIC, market_app;
