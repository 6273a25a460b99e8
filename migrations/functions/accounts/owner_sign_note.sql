-- Notes a sign of an account, and joins the account to the group of an account that has the same one. `sign` is the text
-- of the sign, of which the SHA-256 is stored. A sign that is known is written again once a day.
-- Called by: owner_signs_of_billing, owner_signs_of_login, owner_signs_of_payer, src/stores/accounts/owner-signs.ts.
-- Locks: the sign, then the advisory lock of groups (owner_unite) if another account has it.
CREATE OR REPLACE FUNCTION owner_sign_note(sign_kind text, sign text, account text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  hash  text := encode(sha256(convert_to(sign, 'UTF8')), 'hex');
  other text;
BEGIN
  INSERT INTO owner_signs AS s (kind, value, user_id) VALUES (sign_kind, hash, account)
  ON CONFLICT (kind, value, user_id) DO UPDATE SET last_at = now() WHERE s.last_at < now() - interval '1 day';
  SELECT min(s.user_id) INTO other FROM owner_signs s
   WHERE s.kind = sign_kind AND s.value = hash AND s.user_id <> account;
  IF other IS NOT NULL AND owner_unit(other) <> owner_unit(account) THEN
    PERFORM owner_unite(account, other);
  END IF;
END $$;

REVOKE ALL ON FUNCTION owner_sign_note FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION owner_sign_note TO market_app;
