-- Calls with an open hold whose process was not seen alive lately, longest waiting first. Tasks are left out: a worker
-- carries them out. The cost depends on the number of open calls that are no jobs.
-- Called by: src/stores/calls/call-owners.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION calls_of_lost_owners(silent_ms integer, most integer)
RETURNS TABLE (invocation_id text, owner text, agent_id text, buyer_user_id text, timeout_ms integer, trace_id text,
  price_units bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT i.invocation_id, i.owner, i.agent_id, i.buyer_user_id, v.timeout_ms, i.trace_id, i.price_units
  FROM holds_to_sweep() h, LATERAL (SELECT c.* FROM invocations c WHERE c.invocation_id = h.invocation_id OFFSET 0) i
    JOIN agent_versions v ON v.version_id = i.version_id
  WHERE NOT i.is_task AND NOT EXISTS (SELECT FROM call_owners o
    WHERE o.owner = i.owner AND o.seen_at > now() - silent_ms * interval '1 millisecond')
  ORDER BY h.lease_until LIMIT most
$$;

REVOKE ALL ON FUNCTION calls_of_lost_owners FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION calls_of_lost_owners TO market_app;
