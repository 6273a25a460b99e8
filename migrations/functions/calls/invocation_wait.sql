-- Notes that a process wants to be notified when a running call of another process ends.
-- Called by: src/stores/calls/invocation-reads.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_wait(id text, waiting_owner text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO invocation_waiters (invocation_id, owner)
  SELECT i.invocation_id, waiting_owner FROM invocations i
  WHERE i.invocation_id = id AND i.status IN ('pending', 'running') ON CONFLICT DO NOTHING
$$;

REVOKE ALL ON FUNCTION invocation_wait FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_wait TO market_app;
