-- The query for the versions that have one of the terms in one of the fields of search_terms_of.
-- Called by: inside_query, intent_words, near_query, search_vocabulary_tidy.
-- Locks: none.
CREATE OR REPLACE FUNCTION search_query(terms text[], letters text[]) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT string_agg('''' || replace(replace(letter || term, '\', '\\'), '''', '''''') || '''', ' | ')::tsquery
      FROM unnest(terms) term, unnest(letters) letter
  $$;
