-- The words of the terms of an agent, each with the letter of its field: those of names, tags and descriptions that a
-- search may find by a part. Words of scripts without spaces are left out, because their terms are pairs of characters.
-- Called by: search_vocabulary_follow.
-- Locks: none.
CREATE OR REPLACE FUNCTION vocabulary_of(terms tsvector) RETURNS TABLE (word text, field text)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT substr(term, 3), left(term, 1) FROM unnest(tsvector_to_array($1)) term
     WHERE left(term, 2) IN ('n:', 'g:', 'd:') AND length(term) > 4 AND NOT is_unspaced(substr(term, 3))
  $$;
