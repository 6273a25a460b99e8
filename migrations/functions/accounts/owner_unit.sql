-- The id under which the accounts of one hand count as one buyer: that of the group of the account, or its own.
-- Called by: counted_unit, owner_changes_of_member, owner_relation, owner_sign_note, owner_unite.
-- Locks: none.
CREATE OR REPLACE FUNCTION owner_unit(account text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
  SELECT coalesce((SELECT g.group_id FROM owner_groups g WHERE g.user_id = account), account)
$$;

REVOKE ALL ON FUNCTION owner_unit FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION owner_unit TO market_app;
