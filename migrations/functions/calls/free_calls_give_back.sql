-- Gives the slot of a failed free call back to the month in which the call was accepted.
-- Called by: trigger invocations_free_slot on invocations.
-- Locks: the counter.
CREATE OR REPLACE FUNCTION free_calls_give_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE free_calls f SET used = f.used - 1
    WHERE f.month = NEW.free_month AND f.buyer_user_id = NEW.buyer_user_id AND f.agent_id = NEW.agent_id;
  RETURN NULL;
END $$;
