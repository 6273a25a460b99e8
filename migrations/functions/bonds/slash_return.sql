-- Returns the amount of an overturned slash, or the rest of a final one, to the bond.
-- Called by: slash_refund, slash_resolve.
-- Locks: the developer's bond, slash_hold and wallet, in id order.
CREATE OR REPLACE FUNCTION slash_return(slash slashes, units bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  bond_id bigint := ledger_account(slash.developer_user_id, 'bond');
  hold_id bigint := ledger_account(slash.developer_user_id, 'slash_hold');
BEGIN
  PERFORM ledger_lock(ARRAY[bond_id, hold_id, ledger_account(slash.developer_user_id, 'wallet')]);
  PERFORM ledger_post('slash_return', 'slash/' || slash.slash_id || '/return', NULL, slash.agent_id,
    'Slash over ' || slash.agent_id || ': back to the bond', slash.trace_id, ARRAY[hold_id, bond_id],
    ARRAY['slash', 'slash'], ARRAY[-units, units]);
END $$;

REVOKE ALL ON FUNCTION slash_return FROM PUBLIC, market_app;
