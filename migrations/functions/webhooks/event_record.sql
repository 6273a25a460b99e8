-- Writes an event, one delivery for each webhook that wants it, and one row for each account that follows its events;
-- call it in the transaction of what happened. Webhooks and streams of the accounts in `audience` get it; a public
-- event also goes to the webhooks of other accounts that name its agent. What people should know becomes a notice for
-- each account in `audience`, also if no webhook wants the event (notice_record). Returns the event's id, or null (and writes
-- no event) when no webhook asks for it and no account follows it: then it costs two index lookups.
-- Called by: agent_standing_write, auto_topup_ended, event_of_dispute, event_of_invocation, event_of_offer,
-- event_of_topup, job_ask, job_heard, payout_event, price_rise_notify, rubric_publish, saved_method_end, slash_event,
-- warranty_decide, src/stores/webhooks/outbox.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION event_record(event_type text, event_data jsonb, audience text[],
  about_agent text DEFAULT NULL, is_public boolean DEFAULT false)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  endpoints text[];
  followers text[];
  id        text;
BEGIN
  PERFORM notice_record(event_type, event_data, audience, about_agent);
  SELECT array_agg(w.webhook_id ORDER BY w.webhook_id) INTO endpoints FROM webhooks w
    WHERE (w.user_id = ANY (audience) OR (is_public AND w.agent_id = about_agent))
      AND w.disabled_at IS NULL AND event_type = ANY (w.types)
      AND (w.agent_id IS NULL OR w.agent_id = about_agent);
  SELECT array_agg(f.user_id) INTO followers FROM event_followers f
    WHERE f.user_id = ANY (audience) AND f.until > now();
  IF endpoints IS NULL AND followers IS NULL THEN RETURN NULL; END IF;
  INSERT INTO events (event_id, type, agent_id, data)
    VALUES ('evt_' || replace(uuidv7()::text, '-', ''), event_type, about_agent, event_data)
    RETURNING event_id INTO id;
  PERFORM event_deliver(id, endpoints);
  INSERT INTO event_inbox (user_id, event_id) SELECT u.follower, id FROM unnest(followers) u(follower);
  RETURN id;
END $$;

REVOKE ALL ON FUNCTION event_record FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION event_record TO market_app;
