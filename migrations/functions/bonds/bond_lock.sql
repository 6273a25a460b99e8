-- Locks a developer's bond and returns it; inserts the row when the developer has none. Everything that changes a bond
-- calls it first, before accounts and agents.
-- Called by: bond_deposit, bond_withdraw, bond_withdraw_end, slash_apply, slash_end_top_up, slash_lock,
-- warranty_decide.
-- Locks: the bond.
CREATE OR REPLACE FUNCTION bond_lock(developer text) RETURNS bonds
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE bond bonds%ROWTYPE;
BEGIN
  INSERT INTO bonds (developer_user_id) VALUES (developer) ON CONFLICT DO NOTHING;
  SELECT b.* INTO STRICT bond FROM bonds b WHERE b.developer_user_id = developer FOR NO KEY UPDATE;
  RETURN bond;
END $$;

REVOKE ALL ON FUNCTION bond_lock FROM PUBLIC, market_app;
