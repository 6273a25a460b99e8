-- Adds waiting changes of lots to the days and the totals of their developers. Returns how many changes; 0 also while
-- another process does it.
-- Called by: src/stores/payouts/earning-days.ts.
-- Locks: an advisory lock, so that one process writes the days.
CREATE OR REPLACE FUNCTION earning_days_roll_up(most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE rolled bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7203004) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM earning_deltas d
    WHERE d.ctid = ANY (ARRAY(SELECT w.ctid FROM earning_deltas w LIMIT most))
    RETURNING *
  ), days AS (
    INSERT INTO earning_days AS a
    SELECT t.developer_user_id, t.matures_on, sum(t.lots), sum(t.open_units), sum(t.disputed_units), sum(t.earned_units)
    FROM taken t GROUP BY 1, 2
    ON CONFLICT (developer_user_id, matures_on) DO UPDATE SET lots = a.lots + excluded.lots,
      open_units = a.open_units + excluded.open_units, disputed_units = a.disputed_units + excluded.disputed_units,
      earned_units = a.earned_units + excluded.earned_units
  ), totals AS (
    INSERT INTO earning_totals AS a
    SELECT t.developer_user_id, sum(t.open_units), sum(t.disputed_units), sum(t.earned_units)
    FROM taken t GROUP BY 1
    ON CONFLICT (developer_user_id) DO UPDATE SET open_units = a.open_units + excluded.open_units,
      disputed_units = a.disputed_units + excluded.disputed_units, earned_units = a.earned_units + excluded.earned_units
  )
  SELECT count(*) INTO rolled FROM taken;
  RETURN rolled;
END $$;

REVOKE ALL ON FUNCTION earning_days_roll_up FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION earning_days_roll_up TO market_app;
