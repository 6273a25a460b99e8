-- Queues a delivery of each task event after the first for every push endpoint that the task has at that time, in the
-- turns of the task's buyer.
-- Called by: trigger a2a_task_events_push on a2a_task_events.
-- Locks: none.
CREATE OR REPLACE FUNCTION a2a_push() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, subject_seq, account)
  SELECT 'whd_' || replace(uuidv7()::text, '-', ''), 'evt_' || replace(uuidv7()::text, '-', ''), 'a2a_push',
         c.endpoint_id, NEW.task_id, NEW.seq, t.buyer_user_id
    FROM a2a_push_configs c JOIN a2a_tasks t USING (task_id) WHERE c.task_id = NEW.task_id AND c.disabled_at IS NULL ORDER BY c.endpoint_id;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION a2a_push FROM PUBLIC, market_app;
