-- Records invocation.succeeded or invocation.failed for the buyer and the developer. It does not name the buyer,
-- because the developer reads it too.
-- Called by: trigger invocations_event on invocations.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_of_invocation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  -- Most calls have no webhook and no follower, and need no document of the event.
  IF NOT EXISTS (SELECT FROM webhooks w WHERE w.user_id IN (NEW.buyer_user_id, NEW.developer_user_id)
      AND w.disabled_at IS NULL)
    AND NOT EXISTS (SELECT FROM event_followers f WHERE f.user_id IN (NEW.buyer_user_id, NEW.developer_user_id)
      AND f.until > now()) THEN
    RETURN NULL;
  END IF;
  PERFORM event_record('invocation.' || NEW.status, jsonb_build_object(
      'invocation_id', NEW.invocation_id, 'agent_id', NEW.agent_id, 'version', NEW.version,
      'surface', NEW.surface, 'status', NEW.status,
      'usage', jsonb_build_object('tokens_in', coalesce(NEW.tokens_in, 0), 'tokens_out', coalesce(NEW.tokens_out, 0),
        'duration_ms', coalesce(NEW.duration_ms, 0), 'credits_charged', event_credits(coalesce(NEW.charged_units, 0))),
      'error_code', NEW.error_code,
      'invoked_at', event_time(NEW.invoked_at), 'settled_at', event_time(NEW.settled_at)),
    ARRAY[NEW.buyer_user_id, NEW.developer_user_id], NEW.agent_id);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION event_of_invocation FROM PUBLIC, market_app;
