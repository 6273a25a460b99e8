-- Erases what is stored of the inputs and outputs of an account's calls: of one call, or, without its id, of up to most
-- calls of which bodies are kept, the oldest first. That is the kept bodies, and of calls that have ended also the
-- stored answer, the message of the task and the pieces of the job. Attachments of disputes stay. The bytes no longer count against the quota.
-- Returns how many calls had kept bodies.
-- Called by: kept_bodies_purge, src/stores/calls/kept-bodies.ts.
-- Locks: the kept bodies, then the account's stored bytes, then the answers, then the tasks.
CREATE OR REPLACE FUNCTION kept_bodies_erase(account text, id text, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  ids    text[];
  gone   record;
  erased integer := 0;
BEGIN
  IF id IS NULL THEN
    ids := ARRAY(SELECT k.invocation_id FROM kept_bodies k
      WHERE k.buyer_user_id = account AND k.kept_at < (SELECT u.erase_kept_before FROM users u WHERE u.user_id = account)
      ORDER BY k.invocation_id LIMIT most);
  ELSE
    ids := ARRAY[id];
  END IF;
  FOR gone IN
    WITH deleted AS (
      DELETE FROM kept_bodies k WHERE k.invocation_id = ANY (ids) AND k.buyer_user_id = account
      RETURNING k.expires_at, coalesce(length(k.input), 0) + coalesce(length(k.output), 0) AS size)
    SELECT d.expires_at, count(*) AS calls, sum(d.size) AS size FROM deleted d GROUP BY d.expires_at ORDER BY d.expires_at
  LOOP
    PERFORM stored_bytes_release(account || '/kept', gone.size::bigint, gone.expires_at);
    erased := erased + gone.calls;
  END LOOP;
  ids := ARRAY(SELECT i.invocation_id FROM invocations i
    WHERE i.invocation_id = ANY (ids) AND i.buyer_user_id = account AND i.status NOT IN ('pending', 'running'));
  DELETE FROM invocation_answers a WHERE a.invocation_id = ANY (ids);
  UPDATE a2a_tasks t SET message = NULL WHERE t.task_id = ANY (ids) AND t.message IS NOT NULL;
  UPDATE job_pieces p SET body = NULL WHERE p.invocation_id = ANY (ids) AND p.body IS NOT NULL;
  RETURN erased;
END $$;

REVOKE ALL ON FUNCTION kept_bodies_erase FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION kept_bodies_erase TO market_app;
