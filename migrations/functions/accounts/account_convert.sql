-- Turns an account into an organisation that keeps its id with all that belongs to it. A new account of the person takes
-- over address, password, authenticator app and sessions, and is the first owner. Keys and grants stay with the
-- organisation, as made by the person. Returns false for an organisation, and while a
-- deletion of the account is open.
-- Called by: src/stores/accounts/users.ts.
-- Locks: the account.
CREATE OR REPLACE FUNCTION account_convert(account text, person text, org_name text, sealed_secret bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  u users;
BEGIN
  SELECT * INTO u FROM users WHERE user_id = account AND kind = 'person' FOR UPDATE;
  IF NOT FOUND OR EXISTS (SELECT FROM account_deletions d WHERE d.user_id = account AND d.ended_at IS NULL) THEN
    RETURN false;
  END IF;
  UPDATE users SET kind = 'organisation', email = account, password_hash = '', display_name = org_name,
      pending_email = NULL, authenticator_since = NULL, email_confirmed_at = now()
    WHERE user_id = account;
  INSERT INTO users (user_id, email, password_hash, display_name, role, email_confirmed_at, authenticator_since, time_zone)
    VALUES (person, u.email, u.password_hash, u.display_name, 'buyer', u.email_confirmed_at, u.authenticator_since, u.time_zone);
  INSERT INTO organisations (org_id, contact_email, created_by, converted_at) VALUES (account, u.email, person, now());
  INSERT INTO organisation_members (org_id, user_id, role) VALUES (account, person, 'owner');
  UPDATE authenticators SET user_id = person, sealed = sealed_secret WHERE user_id = account;
  UPDATE recovery_codes SET user_id = person WHERE user_id = account;
  UPDATE sso_identities SET user_id = person WHERE user_id = account;
  UPDATE sessions SET sess = jsonb_set(sess::jsonb, '{passport,user}', to_jsonb(person))::json
    WHERE sess -> 'passport' ->> 'user' = account;
  DELETE FROM mail_tokens WHERE user_id = account;
  UPDATE organisation_members SET user_id = person WHERE user_id = account;
  UPDATE api_keys SET created_by = person WHERE user_id = account OR created_by = account;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION account_convert FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION account_convert TO market_app;
