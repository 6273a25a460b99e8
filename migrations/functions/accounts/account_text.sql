-- The text in which operators find parts of the name, the address and the public id of an account: in lower case, with
-- one form for each character (NFKC), and a line for each field.
-- Called by: src/stores/operations/account-search.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION account_text(display_name text, email text, developer_id text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT normalize(lower($1 || E'\n' || $2 || E'\n' || coalesce($3, '')), NFKC) $$;
