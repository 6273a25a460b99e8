-- Queues a delivery of a task for each of its push endpoints, in the turns of the task's buyer; the body is made when it
-- is sent. at_seq: the event of the task; null: its last one. if_idle: not for an endpoint with a delivery that has not
-- ended, so that progress floods no one.
-- Called by: a2a_push, job_ask, job_heard.
-- Locks: none.
CREATE OR REPLACE FUNCTION a2a_push_queue(id text, at_seq integer, if_idle boolean) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, subject_seq, account)
  SELECT 'whd_' || replace(uuidv7()::text, '-', ''), 'evt_' || replace(uuidv7()::text, '-', ''), 'a2a_push',
         c.endpoint_id, id, coalesce(at_seq, t.last_seq), t.buyer_user_id
    FROM a2a_push_configs c JOIN a2a_tasks t USING (task_id)
    WHERE c.task_id = id AND c.disabled_at IS NULL AND NOT (if_idle
      AND EXISTS (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = c.endpoint_id AND d.state = 'pending'))
    ORDER BY c.endpoint_id;
$$;

REVOKE ALL ON FUNCTION a2a_push_queue FROM PUBLIC, market_app;
