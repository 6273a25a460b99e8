-- Queues a delivery of each task event after the first for every push endpoint that the task has at that time, in the
-- turns of the task's buyer.
-- Called by: trigger a2a_task_events_push on a2a_task_events.
-- Locks: none.
CREATE OR REPLACE FUNCTION a2a_push() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM a2a_push_queue(NEW.task_id, NEW.seq, false);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION a2a_push FROM PUBLIC, market_app;
