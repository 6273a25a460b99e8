-- Returns what a lot adds to the sums of its day: 1 and its open units while it is in no payout and not used up, the
-- disputed part of them, and its net unless it was clawed back, less the part of it that a dispute returned.
-- Called by: earning_days_follow_changed, earning_days_recount. A row of pending_rollups with a day is what a new lot
-- adds.
-- Locks: none.
CREATE OR REPLACE FUNCTION earning_worth(
  payout_id text, net_units bigint, recovered_units bigint, dispute_open boolean, clawed_back_at timestamptz,
  returned_net_units bigint
) RETURNS TABLE (lots integer, open_units bigint, disputed_units bigint, earned_units bigint)
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN o.is_open THEN 1 ELSE 0 END,
    CASE WHEN o.is_open THEN net_units - recovered_units ELSE 0 END,
    CASE WHEN o.is_open AND dispute_open THEN net_units - recovered_units ELSE 0 END,
    CASE WHEN clawed_back_at IS NULL THEN net_units - coalesce(returned_net_units, 0) ELSE 0 END
  FROM (SELECT payout_id IS NULL AND recovered_units < net_units AS is_open) o
$$;

REVOKE ALL ON FUNCTION earning_worth FROM PUBLIC, market_app;
