-- Removes words that no agent has any more, from about 20 pages of the vocabulary that chance chooses. Does nothing while an
-- agent adds words: these could be the ones that it needs.
-- Called by: search_terms_count.
-- Locks: the vocabulary against search_vocabulary_follow.
CREATE OR REPLACE FUNCTION search_vocabulary_tidy() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  pages constant integer := 20;
  first bigint;
BEGIN
  -- A database before its migration.
  IF to_regclass('search_vocabulary') IS NULL THEN RETURN; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('search_vocabulary', 0)) THEN RETURN; END IF;
  first := floor(random() * greatest(pg_relation_size('search_vocabulary') / 8192 - pages + 1, 1));
  DELETE FROM search_vocabulary v
   WHERE v.ctid >= format('(%s,0)', first)::tid AND v.ctid < format('(%s,0)', first + pages)::tid
     AND NOT EXISTS (SELECT FROM agent_search s WHERE s.terms @@ search_query(ARRAY[v.word], ARRAY[v.field || ':']));
END $$;

REVOKE ALL ON FUNCTION search_vocabulary_tidy FROM PUBLIC, market_app;
