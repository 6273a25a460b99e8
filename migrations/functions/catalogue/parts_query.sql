-- The query for the agents whose words contain those of all parts; these are compared with the parts afterwards. A query without
-- agents if a part is in no word, as each term has the letter of a field. Null if the words of agents do not say: for scripts
-- without spaces, and for parts without a word of three characters that languages count. Words that they do not count are not
-- looked for, as agents have no terms for them.
-- Called by: src/stores/catalogue/search/matching.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION parts_query(parts text[]) RETURNS tsquery LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  asked  constant text[] := plain_words(array_to_string(parts, ' '));
  word   text;
  found  tsquery;
  whole  tsquery;
BEGIN
  IF EXISTS (SELECT FROM unnest(asked) w WHERE is_unspaced(w)) THEN RETURN NULL; END IF;
  FOR word IN
    SELECT DISTINCT w FROM unnest(asked) w WHERE length(w) > 2
       AND NOT EXISTS (SELECT FROM unnest('{english_stem,german_stem,french_stem,spanish_stem,portuguese_stem,italian_stem,
           dutch_stem,swedish_stem,danish_stem,norwegian_stem,finnish_stem,hungarian_stem,turkish_stem,romanian_stem,
           russian_stem,arabic_stem,greek_stem}'::regdictionary[]) language WHERE ts_lexize(language, w) = '{}')
  LOOP
    found := inside_query(word);
    IF found IS NULL THEN RETURN 'nothing'::tsquery; END IF;
    whole := coalesce(whole && found, found);
  END LOOP;
  RETURN whole;
END $$;
