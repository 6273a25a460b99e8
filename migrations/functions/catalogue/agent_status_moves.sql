-- Checks that the status of an agent moves as AGENT_TRANSITIONS of src/domain/catalogue/agent-state.ts allows.
-- Called by: trigger agent_status_moves on agents.
-- Locks: none.
CREATE OR REPLACE FUNCTION agent_status_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status <> OLD.status AND (OLD.status || '>' || NEW.status) <> ALL (ARRAY[
      'active>suspended', 'active>retired', 'suspended>active', 'suspended>retired']) THEN
    RAISE EXCEPTION 'an agent cannot go from % to %', OLD.status, NEW.status USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
