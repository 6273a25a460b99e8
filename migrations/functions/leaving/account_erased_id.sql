-- The replacement of an id that an account chose; the replacement of a replacement is itself.
-- Called by: account_erase_mandates.
-- Locks: none.
CREATE OR REPLACE FUNCTION account_erased_id(account text, id text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN id ~ '^deleted-[0-9a-f]{32}$' THEN id
    ELSE 'deleted-' || left(encode(sha256(convert_to(account || ' ' || id, 'UTF8')), 'hex'), 32) END
$$;

REVOKE ALL ON FUNCTION account_erased_id FROM PUBLIC, market_app;
