-- Queues a delivery of the progress of a job for each push endpoint of its task. The body is made when it is sent, from
-- what the agent has reported by then. An endpoint with a delivery that has not ended gets no further one.
-- Called by: job_heard.
-- Locks: none.
CREATE OR REPLACE FUNCTION a2a_push_progress(id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO webhook_deliveries (delivery_id, event_id, endpoint_kind, endpoint_id, subject_id, subject_seq, account)
  SELECT 'whd_' || replace(uuidv7()::text, '-', ''), 'evt_' || replace(uuidv7()::text, '-', ''), 'a2a_push',
         c.endpoint_id, id, t.last_seq, t.buyer_user_id
    FROM a2a_push_configs c JOIN a2a_tasks t USING (task_id)
    WHERE c.task_id = id AND c.disabled_at IS NULL
      AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = c.endpoint_id AND d.state = 'pending')
    ORDER BY c.endpoint_id;
$$;

REVOKE ALL ON FUNCTION a2a_push_progress FROM PUBLIC, market_app;
