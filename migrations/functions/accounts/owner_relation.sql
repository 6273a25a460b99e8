-- How two accounts are related (docs/related-accounts.md); null if they are not. same_account, group (an equal payment
-- method, address or device, also by way of others), organisation (an organisation and its members, or members of one),
-- circle (money that flows in a circle, found in the last 180 days), network (both logged in from a network of the
-- internet within 30 days that at most eight accounts use). Costs look-ups by index alone.
-- Called by: related_owners.
-- Locks: none.
CREATE OR REPLACE FUNCTION owner_relation(one text, other text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  unit_of_one   text := owner_unit(one);
  unit_of_other text := owner_unit(other);
BEGIN
  IF one = other THEN RETURN 'same_account'; END IF;
  IF unit_of_one = unit_of_other THEN RETURN 'group'; END IF;
  IF EXISTS (SELECT FROM organisation_members m WHERE m.org_id = one AND owner_unit(m.user_id) = unit_of_other)
    OR EXISTS (SELECT FROM organisation_members m WHERE m.org_id = other AND owner_unit(m.user_id) = unit_of_one)
    OR EXISTS (SELECT FROM organisation_members m JOIN organisation_members n ON n.org_id = m.org_id AND n.user_id = other
                WHERE m.user_id = one) THEN
    RETURN 'organisation';
  END IF;
  IF EXISTS (SELECT FROM owner_circles c WHERE c.first_user_id = least(one, other)
      AND c.second_user_id = greatest(one, other) AND c.last_at > now() - interval '180 days') THEN
    RETURN 'circle';
  END IF;
  IF EXISTS (
    SELECT FROM login_places p JOIN login_places q ON q.user_id = other AND q.network = p.network
     WHERE p.user_id = one AND p.last_at > now() - interval '30 days' AND q.last_at > now() - interval '30 days'
       AND network_is_public(p.network)
       AND (SELECT count(*) FROM (SELECT FROM login_places n WHERE n.network = p.network LIMIT 9) few) <= 8) THEN
    RETURN 'network';
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION owner_relation FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION owner_relation TO market_app;
