-- Queues a delivery of the state of a task for each of its push endpoints, because its agent asks its caller. Unlike
-- progress, it is queued in any case: the task waits for the caller. The body is made when it is sent.
-- Called by: job_ask.
-- Locks: none.
CREATE OR REPLACE FUNCTION a2a_push_question(id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, subject_seq, account)
  SELECT 'whd_' || replace(uuidv7()::text, '-', ''), 'evt_' || replace(uuidv7()::text, '-', ''), 'a2a_push',
         c.endpoint_id, id, t.last_seq, t.buyer_user_id
    FROM a2a_push_configs c JOIN a2a_tasks t USING (task_id)
    WHERE c.task_id = id AND c.disabled_at IS NULL ORDER BY c.endpoint_id;
$$;

REVOKE ALL ON FUNCTION a2a_push_question FROM PUBLIC, market_app;
