-- Ends the time to top up after a slash and hides the agents when the shortfall is still open.
-- Outcomes: delisted | topped_up.
-- Called by: src/stores/bonds/slashes.ts.
-- Locks: the slash, the bond, then the developer's agents.
CREATE OR REPLACE FUNCTION slash_end_top_up(id text, as_of timestamptz) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  slash slashes := slash_lock(id);
  bond bonds := bond_lock(slash.developer_user_id);
BEGIN
  IF bond.shortfall_slash_id IS DISTINCT FROM id THEN
    RETURN 'topped_up';
  ELSIF bond.shortfall_ended_at IS NULL THEN
    UPDATE bonds b SET shortfall_ended_at = as_of WHERE b.developer_user_id = slash.developer_user_id;
    PERFORM bond_notify(slash.developer_user_id, 'bond_delisted', id, NULL, '{}', as_of);
    PERFORM developer_standing_refresh(slash.developer_user_id);
  END IF;
  RETURN 'delisted';
END $$;

REVOKE ALL ON FUNCTION slash_end_top_up FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION slash_end_top_up TO market_app;
