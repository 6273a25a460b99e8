-- Ends a shortfall that the bond covers again, so that the agents return to search. Call it after the bond grew.
-- Called by: bond_deposit, slash_resolve.
-- Locks: none of its own; the caller has locked the bond.
CREATE OR REPLACE FUNCTION bond_cover_shortfall(developer text, as_of timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE ended bonds%ROWTYPE;
BEGIN
  SELECT b.* INTO ended FROM bonds b WHERE b.developer_user_id = developer
    AND b.shortfall_minimum_units <= bond_balance(developer, 'bond');
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE bonds b SET shortfall_slash_id = NULL, shortfall_minimum_units = NULL, shortfall_since = NULL,
    shortfall_deadline = NULL, shortfall_ended_at = NULL WHERE b.developer_user_id = developer;
  PERFORM bond_notify(developer, 'bond_restored', ended.shortfall_slash_id, NULL,
    jsonb_build_object('bond_credits', event_credits(bond_balance(developer, 'bond'))), as_of);
END $$;

REVOKE ALL ON FUNCTION bond_cover_shortfall FROM PUBLIC, market_app;
