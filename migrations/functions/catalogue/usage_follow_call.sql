-- Notes the end of a call that is no charged success, and the dispute of a call that has ended, for the usage of its
-- agent. It inserts rows and locks none. ledger_post_charge notes the charged successes.
-- Called by: trigger invocations_usage on invocations.
-- Locks: none.
CREATE OR REPLACE FUNCTION usage_follow_call() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  fee bigint;
  is_job boolean := NEW.is_task AND EXISTS (SELECT FROM jobs j WHERE j.invocation_id = NEW.invocation_id);
BEGIN
  INSERT INTO usage_deltas (agent_id, day, status, error_code, calls, gross_units, fee_units, duration_ms, is_job)
  VALUES (NEW.agent_id, (NEW.invoked_at AT TIME ZONE 'UTC')::date, NEW.status, coalesce(NEW.error_code, ''), 1,
    coalesce(NEW.charged_units, 0), CASE WHEN NEW.charged_units > 0 THEN coalesce(
      (SELECT l.fee_units FROM earnings l WHERE l.invocation_id = NEW.invocation_id), 0) ELSE 0 END,
    CASE NEW.status WHEN 'succeeded' THEN NEW.duration_ms END, is_job)
  RETURNING fee_units INTO fee;
  IF OLD.status IN ('succeeded', 'failed') THEN
    IF OLD.status = 'succeeded' AND OLD.charged_units > 0 AND NEW.buyer_user_id <> NEW.developer_user_id THEN
      INSERT INTO buyer_day_disputes (agent_id, day, buyer_user_id)
      VALUES (NEW.agent_id, (NEW.invoked_at AT TIME ZONE 'UTC')::date, NEW.buyer_user_id);
    END IF;
    INSERT INTO usage_deltas (agent_id, day, status, error_code, calls, gross_units, fee_units, duration_ms, is_job)
    VALUES (NEW.agent_id, (NEW.invoked_at AT TIME ZONE 'UTC')::date, OLD.status, coalesce(OLD.error_code, ''), -1,
      -coalesce(OLD.charged_units, 0), -fee, CASE OLD.status WHEN 'succeeded' THEN OLD.duration_ms END, is_job);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION usage_follow_call FROM PUBLIC, market_app;
