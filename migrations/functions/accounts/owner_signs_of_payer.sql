-- Notes the paying address of an account without a password as its payment method, on whichever chain it pays.
-- Called by: trigger users_owner_signs on users.
-- Locks: those of owner_sign_note.
CREATE OR REPLACE FUNCTION owner_signs_of_payer() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM owner_sign_note('payment_method', format('chain %s', split_part(lower(NEW.email), ':', 3)), NEW.user_id);
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION owner_signs_of_payer FROM PUBLIC, market_app;
