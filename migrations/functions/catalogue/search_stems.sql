-- The terms of words by which a search by intent compares them: the word itself and its stem in each of the languages,
-- without accents; the pairs of characters of scripts without spaces, and each character of Chinese. Words that a language
-- does not count (its stop words) have none.
-- Called by: search_terms_of, tool_terms_of.
-- Locks: none.
CREATE OR REPLACE FUNCTION search_stems(words text[], languages regdictionary[]) RETURNS SETOF text
  LANGUAGE sql STABLE PARALLEL SAFE
  AS $$
    SELECT without_accents(term)
      FROM (SELECT DISTINCT word FROM unnest(words) word WHERE NOT is_unspaced(word)) w
      CROSS JOIN LATERAL (
        SELECT word AS term UNION ALL SELECT unnest(ts_lexize(language, word)) FROM unnest(languages) language) t
     WHERE NOT EXISTS (SELECT FROM unnest(languages) language WHERE ts_lexize(language, word) = '{}')
    UNION
    SELECT unnest(ARRAY[gram] || CASE WHEN gram ~ '[\u3400-\u9fff]' THEN string_to_array(gram, NULL) END)
      FROM (SELECT DISTINCT word FROM unnest(words) word WHERE is_unspaced(word)) w CROSS JOIN LATERAL unspaced_grams(word)
  $$;
