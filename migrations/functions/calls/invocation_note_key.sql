-- Notes the idempotency key of a new call, and frees it when the call fails: a key is unique over all months.
-- Called by: trigger invocations_key_freed on invocations, trigger invocations_key_taken on invocations.
-- Locks: the row of the key.
CREATE OR REPLACE FUNCTION invocation_note_key() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO invocation_keys (buyer_user_id, idempotency_key, invocation_id, agent_id, input_sha256)
      VALUES (NEW.buyer_user_id, NEW.idempotency_key, NEW.invocation_id, NEW.agent_id, NEW.input_sha256);
  ELSE
    DELETE FROM invocation_keys k WHERE k.buyer_user_id = NEW.buyer_user_id
      AND k.idempotency_key = NEW.idempotency_key AND k.invocation_id = NEW.invocation_id;
  END IF;
  RETURN NULL;
END $$;
