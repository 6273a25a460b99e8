-- Checks that a slash moves as SLASH_TRANSITIONS of src/domain/bonds/slash.ts allows and that its terms stay.
-- Called by: trigger slashes_guard on slashes.
-- Locks: none.
CREATE OR REPLACE FUNCTION slash_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status <> OLD.status AND (OLD.status || '>' || NEW.status) <> ALL (ARRAY[
      'applied>contested', 'applied>final', 'applied>overturned', 'contested>final', 'contested>overturned']) THEN
    RAISE EXCEPTION 'slash % may not go from % to %', OLD.slash_id, OLD.status, NEW.status USING ERRCODE = '23514';
  END IF;
  -- account_erase replaces explanation and evidence.
  IF current_setting('market.erasing', true) IS DISTINCT FROM 'on' AND (NEW.slash_id, NEW.developer_user_id, NEW.agent_id, NEW.requested_units, NEW.amount_units, NEW.refund, NEW.explanation,
      NEW.evidence, NEW.applied_at, NEW.counter_by, NEW.top_up_ms)
     IS DISTINCT FROM (OLD.slash_id, OLD.developer_user_id, OLD.agent_id, OLD.requested_units, OLD.amount_units, OLD.refund,
      OLD.explanation, OLD.evidence, OLD.applied_at, OLD.counter_by, OLD.top_up_ms) THEN
    RAISE EXCEPTION 'the terms of slash % are fixed', OLD.slash_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
