-- Refuses changes of the kind of an account, except that a person becomes an organisation.
-- Called by: trigger users_become_organisations on users.
-- Locks: none.
CREATE OR REPLACE FUNCTION user_kind_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.kind = 'person' AND NEW.kind = 'organisation' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'account % is of kind %, which cannot become %', OLD.user_id, OLD.kind, NEW.kind USING ERRCODE = '23514';
END $$;
