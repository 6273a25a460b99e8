-- The text in which a search finds parts of words: in lower case, with one form for each character (NFKC), and a line
-- for each field.
-- Called by: column search_text of agent_versions, column search_grams of agent_versions,
-- src/stores/catalogue/search/matching.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION search_text(text, text, text[], text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT normalize(lower($1 || E'\n' || $2 || E'\n' || words($3) || E'\n' || $4), NFKC) $$;
