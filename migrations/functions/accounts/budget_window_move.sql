-- What a budget has counted after a call was charged, or its charge was taken back (a negative change). A call belongs to the
-- window in which it was accepted, whenever it ends: one of the counted window changes its units, one of a later window
-- begins that window, and one of an earlier window changes nothing. A budget over a lifetime that counts by itself has a
-- beginning and no end; that of an API key has neither, and its units stay 0.
-- Called by: api_key_count_spending, budget_count_spending.
-- Locks: none.
CREATE OR REPLACE FUNCTION budget_window_move(cap_window text, INOUT began_at timestamptz, INOUT ends_at timestamptz,
  INOUT units bigint, change bigint, accepted_at timestamptz, account text)
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  zone text;
BEGIN
  IF cap_window = 'lifetime' AND began_at IS NULL OR accepted_at < began_at THEN RETURN; END IF;
  IF cap_window = 'lifetime' OR accepted_at < ends_at THEN
    units := greatest(units + change, 0);
    RETURN;
  END IF;
  SELECT u.time_zone INTO STRICT zone FROM users u WHERE u.user_id = account;
  began_at := budget_window_began(cap_window, began_at, ends_at, accepted_at, account);
  ends_at := budget_window_end(cap_window, accepted_at, zone);
  units := greatest(change, 0);
END $$;

REVOKE ALL ON FUNCTION budget_window_move FROM PUBLIC, market_app;
