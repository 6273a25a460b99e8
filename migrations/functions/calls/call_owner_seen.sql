-- Records that a process is alive, and forgets processes that were last seen a day ago.
-- Called by: src/stores/calls/call-owners.ts.
-- Locks: the row of the process.
CREATE OR REPLACE FUNCTION call_owner_seen(process text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DELETE FROM call_owners WHERE seen_at < now() - interval '1 day' AND owner <> process;
  INSERT INTO call_owners (owner) VALUES (process) ON CONFLICT (owner) DO UPDATE SET seen_at = now();
$$;

REVOKE ALL ON FUNCTION call_owner_seen FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION call_owner_seen TO market_app;
