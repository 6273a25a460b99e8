-- Writes the first event of a new task.
-- Called by: trigger a2a_tasks_begin on a2a_tasks.
-- Locks: none.
CREATE OR REPLACE FUNCTION a2a_begin() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO a2a_task_events (task_id, seq, state, at) VALUES (NEW.task_id, 1, NEW.state, NEW.state_at);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION a2a_begin FROM PUBLIC, market_app;
