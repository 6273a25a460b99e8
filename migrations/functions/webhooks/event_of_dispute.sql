-- Records dispute.opened and dispute.resolved for both sides. A dispute of a call in progress is resolved when it is
-- opened, so both are recorded at once. What people wrote is not part of the event.
-- Called by: trigger disputes_event_opened on disputes, trigger disputes_event_resolved on disputes.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_of_dispute() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  sides text[] := ARRAY[NEW.buyer_user_id, NEW.developer_user_id];
  about jsonb := jsonb_build_object(
    'dispute_id', NEW.dispute_id, 'invocation_id', NEW.invocation_id, 'agent_id', NEW.agent_id,
    'reason', NEW.reason, 'status', NEW.status, 'resolution', NEW.resolution,
    'refunded_credits', event_credits(NEW.refunded_units), 'opened_at', event_time(NEW.opened_at),
    'respond_by', event_time(NEW.respond_by), 'resolved_at', event_time(NEW.resolved_at));
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM event_record('dispute.opened', about, sides, NEW.agent_id);
  END IF;
  IF NEW.resolved_at IS NOT NULL THEN
    PERFORM event_record('dispute.resolved', about, sides, NEW.agent_id);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION event_of_dispute FROM PUBLIC, market_app;
