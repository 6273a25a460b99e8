-- Returns what the lots after the first ones of a share sum to, for a payout that rolls over: at most 20,000 lots are
-- read.
-- Called by: payout_reserve.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_waiting_units(place payout_cursors, monday timestamptz, after_at timestamptz, after_id text)
RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(n.open_units), 0)::bigint FROM (
    SELECT CASE WHEN NOT e.late AND e.payout_id IS NULL AND NOT e.dispute_open
                  AND (e.agent_id = ANY (place.agents)) = (place.pay_to <> '')
           THEN e.net_units - e.recovered_units END AS open_units
    FROM earnings e WHERE e.developer_user_id = place.developer_user_id AND e.matures_at <= monday
      AND (e.matures_at, e.invocation_id) > (after_at, after_id)
    ORDER BY e.matures_at, e.invocation_id LIMIT 20000) n
$$;

REVOKE ALL ON FUNCTION payout_waiting_units FROM PUBLIC, market_app;
