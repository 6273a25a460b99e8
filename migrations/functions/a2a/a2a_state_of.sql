-- Returns the task state that a call's status means, or null when the task stays as it is. A dispute after the end
-- leaves the task as it ended.
-- Called by: a2a_follow.
-- Locks: none.
CREATE OR REPLACE FUNCTION a2a_state_of(old_status text, new_status text, error_code text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN new_status = 'running' THEN 'WORKING'
    WHEN new_status = 'succeeded' THEN 'COMPLETED'
    WHEN new_status = 'failed' AND error_code = 'canceled' THEN 'CANCELED'
    WHEN new_status = 'failed' THEN 'FAILED'
    WHEN new_status = 'disputed' AND old_status NOT IN ('succeeded', 'failed') THEN 'CANCELED' END
$$;

REVOKE ALL ON FUNCTION a2a_state_of FROM PUBLIC, market_app;
