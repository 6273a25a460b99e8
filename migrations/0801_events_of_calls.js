/**
 * Events of calls, disputes and top-ups. Triggers write them, so that every way to an end tells it (settle, refund,
 * sweep, an operator's decision), in its transaction.
 */
exports.up = (knex) =>
  knex.raw(`
  -- As the API writes times and credits.
  CREATE FUNCTION event_time(at timestamptz) RETURNS text
  LANGUAGE sql IMMUTABLE AS $$ SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
  CREATE FUNCTION event_credits(units bigint) RETURNS numeric
  LANGUAGE sql IMMUTABLE AS $$ SELECT trim_scale(units / 100.0) $$;

  -- The buyer is not named: the agent's developer is told too.
  CREATE FUNCTION event_of_invocation() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
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
  CREATE TRIGGER invocations_event AFTER UPDATE OF status ON invocations FOR EACH ROW
    WHEN (NEW.status IN ('succeeded', 'failed') AND NEW.status IS DISTINCT FROM OLD.status)
    EXECUTE FUNCTION event_of_invocation();

  -- A dispute of a call in progress is born decided: it is opened and resolved at once. What people wrote is not told.
  CREATE FUNCTION event_of_dispute() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
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
  CREATE TRIGGER disputes_event_opened AFTER INSERT ON disputes FOR EACH ROW EXECUTE FUNCTION event_of_dispute();
  CREATE TRIGGER disputes_event_resolved AFTER UPDATE OF status ON disputes FOR EACH ROW
    WHEN (NEW.resolved_at IS NOT NULL AND OLD.resolved_at IS NULL) EXECUTE FUNCTION event_of_dispute();

  CREATE FUNCTION event_of_topup() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $$
  BEGIN
    PERFORM event_record('credits.loaded', jsonb_build_object(
        'topup_id', NEW.topup_id, 'credits', event_credits(NEW.amount_units), 'amount_minor', NEW.amount_minor,
        'currency', NEW.currency, 'loaded_at', event_time(NEW.completed_at)),
      ARRAY[NEW.user_id]);
    RETURN NULL;
  END $$;
  CREATE TRIGGER topups_event AFTER UPDATE OF status ON topups FOR EACH ROW
    WHEN (NEW.status = 'succeeded' AND OLD.status <> 'succeeded') EXECUTE FUNCTION event_of_topup();

  REVOKE ALL ON FUNCTION event_of_invocation, event_of_dispute, event_of_topup FROM PUBLIC;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER topups_event ON topups; DROP TRIGGER disputes_event_resolved ON disputes;
  DROP TRIGGER disputes_event_opened ON disputes; DROP TRIGGER invocations_event ON invocations;
  DROP FUNCTION event_of_topup, event_of_dispute, event_of_invocation, event_credits, event_time;
`);
