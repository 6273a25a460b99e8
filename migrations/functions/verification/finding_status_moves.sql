-- Checks that the status of a finding moves as FINDING_TRANSITIONS of src/domain/verification/finding.ts allows.
-- Called by: trigger finding_status_moves on findings.
-- Locks: none.
CREATE OR REPLACE FUNCTION finding_status_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status <> OLD.status AND (OLD.status || '>' || NEW.status) <> ALL (ARRAY[
      'open>acknowledged', 'open>resolved', 'acknowledged>resolved', 'resolved>open']) THEN
    RAISE EXCEPTION 'a finding cannot go from % to %', OLD.status, NEW.status USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
