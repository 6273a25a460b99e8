-- Adds the words of an agent to the vocabulary. Words stay when the last agent with them changes, until
-- search_vocabulary_tidy comes by.
-- Called by: trigger search_vocabulary_follow on agent_search.
-- Locks: the vocabulary against search_vocabulary_tidy, then new words in their order.
CREATE OR REPLACE FUNCTION search_vocabulary_follow() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('search_vocabulary', 0));
  INSERT INTO search_vocabulary (word, field)
    SELECT w.word, w.field FROM vocabulary_of(NEW.terms) w
     WHERE NOT EXISTS (SELECT FROM search_vocabulary v WHERE v.word = w.word AND v.field = w.field)
     ORDER BY w.word, w.field
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION search_vocabulary_follow FROM PUBLIC, market_app;
