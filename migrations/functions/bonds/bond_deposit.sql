-- Moves credits from the wallet into the bond and raises the tier. A deposit never lowers the tier: a developer who
-- was slashed still owes the minimum of the tier. Outcomes: deposited | insufficient.
-- Called by: src/stores/bonds/bonds.ts.
-- Locks: the bond, wallet and bond account in id order, then the developer's agents.
CREATE OR REPLACE FUNCTION bond_deposit(id text, developer text, units bigint, trace text, as_of timestamptz)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  bond bonds := bond_lock(developer);
  wallet_id bigint := ledger_account(developer, 'wallet');
  bond_id bigint := ledger_account(developer, 'bond');
BEGIN
  PERFORM ledger_lock(ARRAY[wallet_id, bond_id]);
  IF ledger_wallet_units(developer) < units THEN
    RETURN 'insufficient';
  END IF;
  PERFORM ledger_post('bond_deposit', 'bond/' || id || '/deposit', NULL, NULL, 'Deposit into the bond', trace,
    ARRAY[wallet_id, bond_id], ARRAY['bond_deposit', 'bond_deposit'], ARRAY[-units, units]);
  UPDATE bonds b SET tier = bond_tier_of(greatest(bond_balance(developer, 'bond'), bond_tier_minimum(bond.tier))),
    updated_at = now() WHERE b.developer_user_id = developer;
  PERFORM bond_cover_shortfall(developer, as_of);
  PERFORM developer_standing_refresh(developer);
  RETURN 'deposited';
END $$;

REVOKE ALL ON FUNCTION bond_deposit FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION bond_deposit TO market_app;
