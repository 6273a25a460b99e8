-- Makes one group of the groups of two accounts, and notes that the relations of its accounts changed. A group has the id
-- of its least account.
-- Called by: owner_groups_recount, owner_sign_note.
-- Locks: an advisory lock, so that groups change one after the other.
CREATE OR REPLACE FUNCTION owner_unite(one text, other text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  kept text;
  gone text;
BEGIN
  PERFORM pg_advisory_xact_lock(7203020);
  kept := least(owner_unit(one), owner_unit(other));
  gone := greatest(owner_unit(one), owner_unit(other));
  IF kept = gone THEN RETURN; END IF;
  UPDATE owner_groups g SET group_id = kept WHERE g.group_id = gone;
  INSERT INTO owner_groups (user_id, group_id) VALUES (kept, kept), (gone, kept)
  ON CONFLICT (user_id) DO UPDATE SET group_id = excluded.group_id;
  INSERT INTO owner_changes (user_id) SELECT g.user_id FROM owner_groups g WHERE g.group_id = kept ORDER BY 1
  ON CONFLICT (user_id) DO NOTHING;
END $$;

REVOKE ALL ON FUNCTION owner_unite FROM PUBLIC, market_app;
