-- Makes all groups of accounts again from their signs, for the owner of the tables: after signs were corrected, and to
-- prove that the groups follow from the signs.
-- Called by: the owner of the tables.
-- Locks: those of owner_unite.
CREATE OR REPLACE FUNCTION owner_groups_recount() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(7203020);
  DELETE FROM owner_groups;
  PERFORM owner_unite(s.user_id, s.first_user_id) FROM (
    SELECT o.user_id, min(o.user_id) OVER (PARTITION BY o.kind, o.value) AS first_user_id FROM owner_signs o) s
   WHERE s.user_id <> s.first_user_id;
END $$;

REVOKE ALL ON FUNCTION owner_groups_recount FROM PUBLIC, market_app;
