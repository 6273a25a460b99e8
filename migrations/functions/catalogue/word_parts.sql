-- The beginnings and ends of long words, from five letters on: German and its kin write compounds as one word, such as
-- Vertragsübersetzung.
-- Called by: intent_words, search_terms_of.
-- Locks: none.
CREATE OR REPLACE FUNCTION word_parts(words text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT coalesce(array_agg(DISTINCT part), '{}')
      FROM (SELECT DISTINCT word FROM unnest(words) word WHERE length(word) BETWEEN 10 AND 40 AND NOT is_unspaced(word)) w
      CROSS JOIN LATERAL generate_series(5, length(word) - 4) letters
      CROSS JOIN LATERAL (VALUES (left(word, letters)), (right(word, letters))) p (part)
  $$;
