-- Erases what the developer of agents wrote and uploaded. The agents stay as retired, with their ids, slugs, versions
-- and prices, because calls and receipts name them.
-- Called by: account_erase.
-- Locks: the rows that it changes.
CREATE OR REPLACE FUNCTION account_erase_agents(ids text[], gone text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  versions text[] := ARRAY(SELECT v.version_id FROM agent_versions v WHERE v.agent_id = ANY (ids));
BEGIN
  DELETE FROM agent_audience x WHERE x.agent_id = ANY (ids);
  DELETE FROM agent_access_links l WHERE l.agent_id = ANY (ids);
  DELETE FROM agent_access_requests r WHERE r.agent_id = ANY (ids);
  DELETE FROM agent_search s WHERE s.agent_id = ANY (ids);
  DELETE FROM agent_vectors s WHERE s.agent_id = ANY (ids);
  DELETE FROM upstream_credentials c WHERE c.agent_id = ANY (ids);
  DELETE FROM endpoint_proofs p WHERE p.agent_id = ANY (ids);
  DELETE FROM first_runs r WHERE r.agent_id = ANY (ids);
  DELETE FROM agent_bundles b WHERE b.version_id = ANY (versions);
  DELETE FROM version_tools t WHERE t.version_id = ANY (versions);
  DELETE FROM tool_lists l WHERE l.agent_id = ANY (ids);
  DELETE FROM tool_watches w WHERE w.version_id = ANY (versions);
  DELETE FROM version_packages p WHERE p.version_id = ANY (versions);
  DELETE FROM verification_evidence e USING verification_runs r WHERE r.agent_id = ANY (ids) AND e.run_id = r.run_id;
  UPDATE verification_runs r SET evidence = NULL, summary = NULL
   WHERE r.agent_id = ANY (ids) AND (r.evidence IS NOT NULL OR r.summary IS NOT NULL);
  UPDATE findings f SET description = gone, risk = gone, remediation = gone, place = NULL WHERE f.agent_id = ANY (ids);
  UPDATE finding_waivers w SET reason = gone WHERE w.agent_id = ANY (ids);
  DELETE FROM trust_reports r WHERE r.agent_id = ANY (ids);
  UPDATE agent_versions v SET display_name = 'Deleted agent', description = gone, tags = '{}',
         endpoint_url = 'https://deleted.invalid/', reject_reason = NULL,
         manifest = account_erased_manifest(v.manifest, v.slug, v.version, gone),
         public_part = account_erased_public_part(v.public_part)
   WHERE v.version_id = ANY (versions);
END $$;

REVOKE ALL ON FUNCTION account_erase_agents FROM PUBLIC, market_app;
