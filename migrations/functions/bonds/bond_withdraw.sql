-- Gives notice of a withdrawal. Outcomes: noticed | insufficient (with what is under notice already).
-- Called by: src/stores/bonds/bonds.ts.
-- Locks: the bond.
CREATE OR REPLACE FUNCTION bond_withdraw(id text, developer text, units bigint, notice_ms bigint, trace text,
  as_of timestamptz)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE under_notice bigint;
BEGIN
  PERFORM bond_lock(developer);
  SELECT coalesce(sum(w.requested_units), 0) INTO under_notice FROM bond_withdrawals w
    WHERE w.developer_user_id = developer AND w.status IN ('noticed', 'waiting');
  IF bond_balance(developer, 'bond') < under_notice + units THEN
    RETURN 'insufficient';
  END IF;
  INSERT INTO bond_withdrawals (withdrawal_id, developer_user_id, requested_units, requested_at, due_at, trace_id)
  VALUES (id, developer, units, as_of, as_of + notice_ms * interval '1 millisecond', trace);
  RETURN 'noticed';
END $$;

REVOKE ALL ON FUNCTION bond_withdraw FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION bond_withdraw TO market_app;
