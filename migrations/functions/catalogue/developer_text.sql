-- The text in which a search finds parts of the name and the id of a developer: in lower case, with one form for each
-- character (NFKC), and a line for each field.
-- Called by: src/stores/catalogue/search/matching.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION developer_text(display_name text, developer_id text) RETURNS text
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT normalize(lower(($1 || E'\n' || $2) COLLATE "pg_c_utf8"), NFKC) $$;
