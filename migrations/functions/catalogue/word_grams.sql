-- The runs of three characters of a word: a word contains another only if it has all of them. Words of fewer than three
-- characters have none.
-- Called by: inside_query.
-- Locks: none.
CREATE OR REPLACE FUNCTION word_grams(word text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 2000
  AS $$
    SELECT coalesce(array_agg(DISTINCT substr($1, place, 3)), '{}') FROM generate_series(1, length($1) - 2) place
  $$;
