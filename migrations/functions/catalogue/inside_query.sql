-- The query for the agents that have a word which contains this one of at least three characters; null if there is none. Of many
-- words the 200 shortest are asked for.
-- Called by: parts_query, src/stores/catalogue/search/intent-search.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION inside_query(text) RETURNS tsquery LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  part  constant text := without_accents($1);
  grams constant text[] := word_grams(part);
BEGIN
  RETURN search_query(ARRAY(
    SELECT term FROM (
      SELECT v.field || ':' || v.word AS term FROM search_vocabulary v
       WHERE word_grams(v.word) @> grams AND strpos(v.word, part) > 0 LIMIT 3000) t
     ORDER BY length(term), term LIMIT 200), '{""}');
END $$;
