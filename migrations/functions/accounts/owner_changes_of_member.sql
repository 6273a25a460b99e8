-- Notes that the relations of a person, of the accounts of its group and of an organisation changed when the person joined or left it.
-- Called by: trigger organisation_members_owner_changes on organisation_members.
-- Locks: none.
CREATE OR REPLACE FUNCTION owner_changes_of_member() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE member organisation_members := coalesce(NEW, OLD);
BEGIN
  INSERT INTO owner_changes (user_id)
  SELECT g.user_id FROM owner_groups g WHERE g.group_id = owner_unit(member.user_id)
  UNION SELECT m.user_id FROM organisation_members m WHERE m.org_id = member.org_id
  UNION VALUES (member.user_id), (member.org_id) ORDER BY 1
  ON CONFLICT (user_id) DO NOTHING;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION owner_changes_of_member FROM PUBLIC, market_app;
