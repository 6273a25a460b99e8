-- The characters of a text and its pairs of neighbouring characters: a text contains another only if it has all pairs
-- of it. Trigrams (pg_trgm) find no word of two characters, which most words of Chinese are, and no punctuation such as
-- that of C++.
-- Called by: column search_grams of agent_versions, src/stores/catalogue/search/matching.ts,
-- src/stores/operations/account-search.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION text_grams(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    WITH letters AS (
      SELECT letter, letter || lead(letter) OVER (ORDER BY place) AS pair
        FROM unnest(string_to_array($1, NULL)) WITH ORDINALITY AS l (letter, place)
    )
    SELECT coalesce(array_agg(DISTINCT gram), '{}')
      FROM (SELECT letter AS gram FROM letters UNION ALL SELECT pair FROM letters WHERE pair IS NOT NULL) g
  $$;
