-- The query for the versions that have one of the terms in one of the fields of search_terms_of.
-- Called by: intent_words, src/stores/catalogue/search/intent-search.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION search_query(terms text[], letters text[]) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT string_agg('''' || replace(replace(letter || term, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
      FROM unnest(terms) term, unnest(letters) letter
  $$;
