-- Writes how far a run has read the lots of a destination. The cursor itself never passes the present, because lots
-- that mature later may still be added; `ends`: the run has read all of them.
-- Called by: payout_reserve.
-- Locks: none of its own; the caller has locked payable.
CREATE OR REPLACE FUNCTION payout_move_on(
  place payout_cursors, next_at timestamptz, next_id text, passed_ids text[], ends boolean
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  is_past boolean := next_at < now();
BEGIN
  UPDATE earnings e SET late = true WHERE e.invocation_id = ANY (passed_ids);
  UPDATE payout_cursors c SET agents = place.agents,
      matures_at = CASE WHEN is_past THEN next_at ELSE greatest(place.matures_at, now()) END,
      invocation_id = CASE WHEN is_past THEN next_id WHEN place.matures_at >= now() THEN place.invocation_id ELSE '' END,
      run = CASE WHEN NOT ends THEN place.run END, run_matures_at = CASE WHEN NOT ends THEN next_at END,
      run_invocation_id = CASE WHEN NOT ends THEN next_id END
    WHERE c.developer_user_id = place.developer_user_id AND c.pay_to = place.pay_to;
END $$;

REVOKE ALL ON FUNCTION payout_move_on FROM PUBLIC, market_app;
