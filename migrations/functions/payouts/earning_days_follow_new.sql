-- Notes new lots of earnings for the sums of their developers' days. It inserts rows and locks none. Since 0034 the rows of
-- pending_rollups do that; migration 0022, and the way back to it, need this function.
-- Called by: nothing in the service.
-- Locks: none.
CREATE OR REPLACE FUNCTION earning_days_follow_new() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO earning_deltas (developer_user_id, matures_on, lots, open_units, disputed_units, earned_units)
  SELECT n.developer_user_id, (n.matures_at AT TIME ZONE 'UTC')::date, sum(w.lots), sum(w.open_units),
    sum(w.disputed_units), sum(w.earned_units)
  FROM new_lots n,
    LATERAL earning_worth(n.payout_id, n.net_units, n.recovered_units, n.dispute_open, n.clawed_back_at) w
  GROUP BY 1, 2;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION earning_days_follow_new FROM PUBLIC, market_app;
