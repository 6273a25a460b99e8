-- A word without the accents of Latin, Greek and Cyrillic letters and the vowel signs of Arabic and Hebrew.
-- Called by: inside_query, intent_words, search_stems.
-- Locks: none.
CREATE OR REPLACE FUNCTION without_accents(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$
    SELECT CASE WHEN $1 ~ '^[a-z0-9+#]*$' THEN $1
      ELSE normalize(regexp_replace(normalize($1, NFKD),
        '[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]', '', 'g'), NFKC) END
  $$;
