-- Deletes one batch of expired messages, with the pieces of their jobs, and of tasks that were rejected a day ago. Returns how many.
-- Called by: src/stores/a2a/a2a-tasks.ts.
-- Locks: the tasks by expiry, skipping locked ones.
CREATE OR REPLACE FUNCTION a2a_purge(most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE purged integer; removed integer;
BEGIN
  WITH expired AS (
    UPDATE a2a_tasks t SET message = NULL, expires_at = NULL WHERE t.task_id IN (
      SELECT e.task_id FROM a2a_tasks e WHERE e.expires_at <= now() AND e.state <> 'REJECTED'
      ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED) RETURNING t.task_id
  ), emptied AS (
    UPDATE job_pieces p SET body = NULL FROM expired e WHERE p.invocation_id = e.task_id AND p.body IS NOT NULL
  )
  SELECT count(*) INTO purged FROM expired;
  DELETE FROM a2a_tasks t WHERE t.task_id IN (
    SELECT e.task_id FROM a2a_tasks e WHERE e.expires_at <= now() AND e.state = 'REJECTED'
    ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN purged + removed;
END $$;

REVOKE ALL ON FUNCTION a2a_purge FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION a2a_purge TO market_app;
