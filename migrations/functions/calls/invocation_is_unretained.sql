-- Returns whether a kept answer is to be deleted as soon as all waiting callers have it: the agent retains nothing,
-- and the call is no task, whose answer is for later polls.
-- Called by: invocation_served, invocation_tell.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_is_unretained(id text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM invocation_answers a JOIN invocations i USING (invocation_id)
    JOIN agent_versions v USING (version_id)
    WHERE a.invocation_id = id AND v.retention_days = 0 AND i.surface <> 'a2a' AND NOT i.is_task)
$$;

REVOKE ALL ON FUNCTION invocation_is_unretained FROM PUBLIC, market_app;
