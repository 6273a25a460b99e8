-- Joins texts with spaces, for the search columns of agent_versions. array_to_string is only STABLE, because of types
-- other than text; a generated column needs an IMMUTABLE function.
-- Called by: search_terms_of, search_text, column search of agent_versions, column search_words of agent_versions,
-- src/stores/catalogue/search/agent-vectors.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION words(text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT array_to_string($1, ' ') $$;
