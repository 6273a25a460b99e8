-- Notes that a process has no caller left who waits for this call. When all were served, it deletes the answer of an
-- agent that retains nothing, unless callers wait in other processes. Returns whether it deleted the answer. The row
-- lock orders processes that finish at the same time.
-- Called by: src/stores/operations/retention.ts.
-- Locks: the invocation.
CREATE OR REPLACE FUNCTION invocation_served(id text, served_owner text, all_served boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM invocation_lock(ARRAY[id]);
  DELETE FROM invocation_waiters w WHERE w.invocation_id = id AND w.owner = served_owner;
  IF NOT all_served OR NOT invocation_is_unretained(id)
     OR EXISTS (SELECT FROM invocation_waiters w WHERE w.invocation_id = id) THEN
    RETURN false;
  END IF;
  DELETE FROM invocation_answers a WHERE a.invocation_id = id;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION invocation_served FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_served TO market_app;
