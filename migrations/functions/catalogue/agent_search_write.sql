-- Writes what a search by intent compares of the serving versions of agents, and what filters ask for that the versions
-- have no column for. Agents whose row is that of their serving version are left out, and private agents
-- (by JSON, since migrations call it that ran before there was a visibility).
-- Called by: agent_search_follow, migrations.
-- Locks: the search rows of the agents.
CREATE OR REPLACE FUNCTION agent_search_write(agent_ids text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO agent_search (agent_id, version_id, listed, residency, jobs, terms)
  SELECT a.agent_id, v.version_id, a.listed AND a.status = 'active', substring(v.public_part, '"residency":"([a-z]+)"'),
      v.public_part ~ '"jobs":\s*\{',
      search_terms_of(v.display_name, v.slug, v.description, v.tags, v.manifest) || tool_terms_of(v.version_id)
    FROM agents a JOIN agent_versions v ON v.version_id = a.serving_version_id LEFT JOIN agent_search s ON s.agent_id = a.agent_id
   WHERE (agent_ids IS NULL OR a.agent_id = ANY (agent_ids)) AND s.version_id IS DISTINCT FROM v.version_id
     AND to_jsonb(a) ->> 'visibility' IS DISTINCT FROM 'private'
  ON CONFLICT (agent_id) DO UPDATE SET version_id = excluded.version_id, listed = excluded.listed,
    residency = excluded.residency, jobs = excluded.jobs, terms = excluded.terms
$$;

REVOKE ALL ON FUNCTION agent_search_write FROM PUBLIC, market_app;
