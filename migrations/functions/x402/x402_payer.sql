-- Returns the account of a paying address, by its CAIP-10 id, and makes it first if there is none: an ordinary buyer
-- without a password and a mail address, in whose place the id stands. No address of a person has its form.
-- Called by: src/stores/x402/x402-payments.ts.
-- Locks: the key of the account, by its unique insert.
CREATE OR REPLACE FUNCTION x402_payer(account_id text, new_user_id text, name text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE found_id text;
BEGIN
  IF account_id !~ '^eip155:[0-9]{1,20}:0x[0-9a-f]{40}$' THEN
    RAISE EXCEPTION 'no CAIP-10 id: %', account_id USING ERRCODE = '22023';
  END IF;
  SELECT u.user_id INTO found_id FROM users u WHERE lower(u.email) = account_id;
  IF found_id IS NULL THEN
    INSERT INTO users (user_id, email, password_hash, display_name, role, kind, email_confirmed_at)
    VALUES (new_user_id, account_id, '', name, 'buyer', 'payer', now()) ON CONFLICT DO NOTHING;
    SELECT u.user_id INTO STRICT found_id FROM users u WHERE lower(u.email) = account_id;
  END IF;
  RETURN found_id;
END $$;

REVOKE ALL ON FUNCTION x402_payer FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION x402_payer TO market_app;
