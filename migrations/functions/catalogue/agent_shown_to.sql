-- Whether an account may know a private agent: it owns the agent, or is in its audience. Null stands for a visitor. It is called
-- for private agents alone, so that public ones cost no lookup: visibility <> 'private' OR agent_shown_to(...).
-- Called by: invocation_decide, price_rise_notify, src/stores/catalogue/visibility/access-requests.ts,
-- src/stores/shown-to.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION agent_shown_to(agent text, agent_owner text, viewer text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET enable_seqscan = off AS $$
  SELECT coalesce(viewer = agent_owner, false)
    OR EXISTS (SELECT FROM agent_audience s WHERE s.agent_id = agent AND s.owner_id = viewer)
$$;

REVOKE ALL ON FUNCTION agent_shown_to FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION agent_shown_to TO market_app;
