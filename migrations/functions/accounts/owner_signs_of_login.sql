-- Notes as a sign of an account that it signed up from a network of the internet in a week, if this is the first network
-- that it logs in from, within an hour of its sign-up.
-- Called by: trigger login_places_owner_signs on login_places.
-- Locks: those of owner_sign_note.
CREATE OR REPLACE FUNCTION owner_signs_of_login() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF network_is_public(NEW.network)
    AND EXISTS (SELECT FROM users u WHERE u.user_id = NEW.user_id AND u.created_at > now() - interval '1 hour')
    AND NOT EXISTS (SELECT FROM login_places p WHERE p.user_id = NEW.user_id AND p.network <> NEW.network) THEN
    PERFORM owner_sign_note('address',
      format('signup %s %s', NEW.network, (date_trunc('week', now() AT TIME ZONE 'UTC'))::date), NEW.user_id);
  END IF;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION owner_signs_of_login FROM PUBLIC, market_app;
