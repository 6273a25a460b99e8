-- Checks that the status of a call moves as the states of a call allow.
-- Called by: trigger invocations_guard on invocations.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status <> OLD.status AND NOT (OLD.status, NEW.status) IN
     (('pending', 'running'), ('pending', 'failed'), ('running', 'succeeded'), ('running', 'failed'),
      ('running', 'disputed'), ('succeeded', 'disputed'))
     AND NOT (OLD.status = 'failed' AND NEW.status = 'disputed' AND OLD.charged_units > 0) THEN
    RAISE EXCEPTION 'invocation % may not go from % to %', OLD.invocation_id, OLD.status, NEW.status
      USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
