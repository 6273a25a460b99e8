-- Notes what changed in lots of earnings, by a payout, a dispute or a clawback, for the sums of their developers' days:
-- one row for each developer and day. It inserts rows and locks none.
-- Called by: trigger earnings_days_changed on earnings.
-- Locks: none.
CREATE OR REPLACE FUNCTION earning_days_follow_changed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO earning_deltas (developer_user_id, matures_on, lots, open_units, disputed_units, earned_units)
  SELECT c.developer_user_id, (c.matures_at AT TIME ZONE 'UTC')::date, sum(c.sign * w.lots), sum(c.sign * w.open_units),
    sum(c.sign * w.disputed_units), sum(c.sign * w.earned_units)
  FROM (SELECT n.*, 1 AS sign FROM new_lots n UNION ALL SELECT o.*, -1 FROM old_lots o) c,
    LATERAL earning_worth(c.payout_id, c.net_units, c.recovered_units, c.dispute_open, c.clawed_back_at,
      c.returned_net_units) w
  GROUP BY 1, 2
  HAVING sum(c.sign * w.lots) <> 0 OR sum(c.sign * w.open_units) <> 0 OR sum(c.sign * w.disputed_units) <> 0
    OR sum(c.sign * w.earned_units) <> 0;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION earning_days_follow_changed FROM PUBLIC, market_app;
