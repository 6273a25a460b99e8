-- Keeps pending_calls: the calls that are accepted and have no hold yet.
-- Called by: trigger invocations_pending_made on invocations, trigger invocations_pending_moved on invocations.
-- Locks: the row of the pending call, after the invocation.
CREATE OR REPLACE FUNCTION invocation_note_pending() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO pending_calls (invocation_id, buyer_user_id, agent_id, price_units, is_task, invoked_at)
    VALUES (NEW.invocation_id, NEW.buyer_user_id, NEW.agent_id, NEW.price_units, NEW.is_task, NEW.invoked_at);
  ELSE
    DELETE FROM pending_calls p WHERE p.invocation_id = NEW.invocation_id;
  END IF;
  RETURN NULL;
END $$;
