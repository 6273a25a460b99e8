-- Changes the rules of an organisation: least_trust, agents and developers (ids of accounts) of `change`; members that it
-- does not have stay as they are, and null removes a rule. Each applies to the calls that are accepted from now on. Returns
-- how many agents and developers are listed then.
-- Called by: src/stores/organisations/rules.ts.
-- Locks: the organisation's wallet, so that no call is accepted meanwhile, then its rules.
CREATE OR REPLACE FUNCTION organisation_rules_change(org text, change jsonb) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  kind   text;
  listed integer;
BEGIN
  PERFORM FROM accounts a WHERE a.user_id = org AND a.kind = 'wallet' FOR NO KEY UPDATE;
  INSERT INTO organisation_rules (org_id) VALUES (org) ON CONFLICT DO NOTHING;
  FOREACH kind IN ARRAY ARRAY['agents', 'developers'] LOOP
    CONTINUE WHEN NOT change ? kind;
    DELETE FROM organisation_allowed l WHERE l.org_id = org AND starts_with(l.allowed_id, 'agt_') = (kind = 'agents');
    INSERT INTO organisation_allowed (org_id, allowed_id)
      SELECT org, a.id FROM jsonb_array_elements_text(nullif(change -> kind, 'null')) a(id) ON CONFLICT DO NOTHING;
  END LOOP;
  SELECT count(*) INTO listed FROM organisation_allowed l WHERE l.org_id = org;
  UPDATE organisation_rules r SET only_listed = listed > 0,
      least_trust = CASE WHEN change ? 'least_trust' THEN (change ->> 'least_trust')::smallint ELSE r.least_trust END
    WHERE r.org_id = org;
  RETURN listed;
END $$;

REVOKE ALL ON FUNCTION organisation_rules_change FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION organisation_rules_change TO market_app;
