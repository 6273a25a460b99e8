-- Ends the notice of a withdrawal and pays it when nothing stands against it. Returns the withdrawal's status. A
-- repetition changes nothing.
-- Called by: src/stores/bonds/bonds.ts.
-- Locks: the bond, then those of bond_pay_waiting.
CREATE OR REPLACE FUNCTION bond_withdraw_end(id text, as_of timestamptz) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  developer text;
  result text;
BEGIN
  SELECT w.developer_user_id INTO STRICT developer FROM bond_withdrawals w WHERE w.withdrawal_id = id;
  PERFORM bond_lock(developer);
  UPDATE bond_withdrawals w SET status = 'waiting' WHERE w.withdrawal_id = id AND w.status = 'noticed';
  PERFORM bond_pay_waiting(developer, as_of);
  SELECT w.status INTO STRICT result FROM bond_withdrawals w WHERE w.withdrawal_id = id;
  RETURN result;
END $$;

REVOKE ALL ON FUNCTION bond_withdraw_end FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION bond_withdraw_end TO market_app;
