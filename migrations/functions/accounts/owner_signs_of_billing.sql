-- Notes the tax number and the postal address of billing details as signs of their account.
-- Called by: trigger billing_details_owner_signs on billing_details.
-- Locks: those of owner_sign_note.
CREATE OR REPLACE FUNCTION owner_signs_of_billing() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  plain text := regexp_replace(lower(NEW.address), '[^[:alnum:]]+', '', 'g');
BEGIN
  IF NEW.tax_number IS NOT NULL THEN
    PERFORM owner_sign_note('address',
      format('tax %s %s', NEW.country, regexp_replace(upper(NEW.tax_number), '[^[:alnum:]]+', '', 'g')), NEW.user_id);
  END IF;
  -- A few characters, such as the name of a town, are no address of one household.
  IF length(plain) >= 12 AND plain ~ '[0-9]' THEN
    PERFORM owner_sign_note('address', format('postal %s %s', NEW.country, plain), NEW.user_id);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION owner_signs_of_billing FROM PUBLIC, market_app;
