-- Notes the part of a charge that a dispute returned, for the usage of the agent: charge and fee move from the calls of its
-- status to the disputed ones, which get no call more. A success of which at least half was returned counts as a failure of its
-- day for verification, as one does that was returned whole (ADR 0357).
-- Called by: trigger invocations_usage_returned on invocations.
-- Locks: none.
CREATE OR REPLACE FUNCTION usage_follow_return() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  fee bigint := coalesce((SELECT l.returned_fee_units FROM earnings l WHERE l.invocation_id = NEW.invocation_id), 0);
BEGIN
  INSERT INTO usage_deltas (agent_id, day, status, error_code, calls, gross_units, fee_units)
  SELECT NEW.agent_id, (NEW.invoked_at AT TIME ZONE 'UTC')::date, d.status, d.code, 0, d.sign * NEW.returned_units, d.sign * fee
  FROM (VALUES (NEW.status, coalesce(NEW.error_code, ''), -1), ('disputed', '', 1)) d(status, code, sign);
  IF NEW.status = 'succeeded' AND 2 * NEW.returned_units >= NEW.charged_units AND NEW.buyer_user_id <> NEW.developer_user_id THEN
    INSERT INTO buyer_day_disputes (agent_id, day, buyer_user_id)
    VALUES (NEW.agent_id, (NEW.invoked_at AT TIME ZONE 'UTC')::date, NEW.buyer_user_id);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION usage_follow_return FROM PUBLIC, market_app;
