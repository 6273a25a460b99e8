-- Sums all lots by day again, for the owner of the tables: after a repair, or when rows were loaded past the triggers.
-- No lot can change meanwhile.
-- Called by: the owner of the tables.
-- Locks: the advisory lock of earning_days_roll_up, then pending_rollups and earning_deltas against writers.
CREATE OR REPLACE FUNCTION earning_days_recount() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7203004);
  LOCK TABLE pending_rollups, earning_deltas IN EXCLUSIVE MODE;
  UPDATE pending_rollups SET matures_on = NULL WHERE matures_on IS NOT NULL;
  DELETE FROM earning_deltas;
  DELETE FROM earning_days;
  DELETE FROM earning_totals;
  INSERT INTO earning_days (developer_user_id, matures_on, lots, open_units, disputed_units, earned_units)
  SELECT e.developer_user_id, (e.matures_at AT TIME ZONE 'UTC')::date, sum(w.lots), sum(w.open_units),
    sum(w.disputed_units), sum(w.earned_units)
  FROM all_earnings e,
    LATERAL earning_worth(e.payout_id, e.net_units, e.recovered_units, e.dispute_open, e.clawed_back_at,
      e.returned_net_units) w
  GROUP BY 1, 2;
  INSERT INTO earning_totals (developer_user_id, open_units, disputed_units, earned_units)
  SELECT d.developer_user_id, sum(d.open_units), sum(d.disputed_units), sum(d.earned_units)
  FROM earning_days d GROUP BY 1;
END $$;

REVOKE ALL ON FUNCTION earning_days_recount FROM PUBLIC, market_app;
