-- The words of a text, from 4 to 32 characters long, each as it is and with each one of its characters left out. Two words
-- share an element when they differ in one character, in a missing or a further one, or in two neighbouring characters
-- that changed places, so that an index finds what was misspelt, in any script. Without the accents of Latin, Greek and
-- Cyrillic letters and the vowel signs of Arabic and Hebrew. Separators are listed, because classes of characters depend
-- on the collation of the database. It takes milliseconds for a long text; with its cost, plans use the indexes on it. Plans
-- that start parallel workers for it cost more than the search.
-- Called by: near_query, src/stores/catalogue/search/matching.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION near_words(text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL RESTRICTED COST 20000
  AS $$
    WITH words AS (
      SELECT DISTINCT word FROM regexp_split_to_table(
        normalize(regexp_replace(normalize(lower($1 COLLATE "pg_c_utf8"), NFKD),
          '[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]', '', 'g'), NFKC),
        '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u060c\u061b\u061f\u2000-\u206f\u3000-\u303f\uff00-\uff0f]+'
      ) AS word WHERE length(word) BETWEEN 4 AND 32
    )
    SELECT coalesce(array_agg(DISTINCT near), '{}')
      FROM words CROSS JOIN LATERAL (
        SELECT word AS near
        UNION ALL SELECT left(word, place - 1) || substr(word, place + 1) FROM generate_series(1, length(word)) place
      ) n
  $$;
