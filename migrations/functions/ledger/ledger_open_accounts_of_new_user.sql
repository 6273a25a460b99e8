-- Opens the accounts of a user who was just inserted.
-- Called by: trigger open_accounts on users.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_open_accounts_of_new_user() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM ledger_open_accounts(NEW.user_id);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION ledger_open_accounts_of_new_user FROM PUBLIC, market_app;
