-- Refuses the deletion of a user who has accounts. It stands for a foreign key of accounts, which Postgres checks again
-- whenever a transaction moves a balance twice.
-- Called by: trigger users_keep_accounts on users.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_guard_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM accounts a WHERE a.user_id = OLD.user_id) THEN
    RAISE EXCEPTION 'user % has accounts', OLD.user_id USING ERRCODE = '23503';
  END IF;
  RETURN OLD;
END $$;
