-- The code by which usage counts a call that has ended: its error code, empty without one; input_refused for a call whose
-- input the agent refused, as far as its failure is still stored. Such a call keeps agent_error for its buyer.
-- Called by: usage_parts, usage_recount.
-- Locks: none.
CREATE OR REPLACE FUNCTION counted_code(id text, error_code text) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN error_code = 'agent_error' AND EXISTS (
      SELECT FROM call_failures f WHERE f.invocation_id = id AND refuses_input(f.http_status))
    THEN 'input_refused' ELSE coalesce(error_code, '') END
$$;

REVOKE ALL ON FUNCTION counted_code FROM PUBLIC, market_app;
