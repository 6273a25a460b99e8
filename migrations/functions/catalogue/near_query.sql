-- The query for the agents that have a word which is written nearly like this one, or this one; null if there is none. At most
-- 200 words are asked for. Its plan does not depend on the word, and making one takes longer than the search.
-- Called by: src/stores/catalogue/search/intent-search.ts, src/stores/catalogue/search/matching.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION near_query(text) RETURNS tsquery LANGUAGE plpgsql STABLE PARALLEL RESTRICTED
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  near constant text[] := near_words($1);
BEGIN
  RETURN search_query(ARRAY(
    SELECT v.field || ':' || v.word FROM search_vocabulary v WHERE near_words(v.word) && near LIMIT 200), '{""}');
END $$;
