-- Counts in how many listed agents each term stands, for the weight of words: over all of them, or over about 5,000 that
-- are spread evenly. Terms of fewer than three are left out, because they are rare in any case. The row of the empty term
-- has the number of agents. Returns false when the last count is younger than an hour or another process counts.
-- Then removes words of the vocabulary that no agent has.
-- Called by: migrations, src/stores/catalogue/search/term-counts.ts.
-- Locks: the row of the empty term, then the vocabulary.
CREATE OR REPLACE FUNCTION search_terms_count(max_age interval DEFAULT '1 hour') RETURNS boolean LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  agents_now integer;
  step       integer;
BEGIN
  INSERT INTO search_term_counts (term, agents, counted_at) VALUES ('', 0, '-infinity') ON CONFLICT DO NOTHING;
  PERFORM FROM search_term_counts WHERE term = '' AND counted_at <= now() - max_age FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT count(*) INTO agents_now FROM agent_search WHERE listed;
  step := agents_now / 5000 + 1;
  INSERT INTO search_term_counts AS c (term, agents, counted_at)
    SELECT word, ndoc * step, now()
      FROM ts_stat(format('SELECT terms FROM agent_search WHERE listed AND place %% %s = 0', step)) WHERE ndoc > 2
    UNION ALL SELECT '', agents_now, now()
    ON CONFLICT (term) DO UPDATE SET agents = excluded.agents, counted_at = excluded.counted_at;
  DELETE FROM search_term_counts WHERE counted_at < now();
  PERFORM search_vocabulary_tidy();
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION search_terms_count FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION search_terms_count TO market_app;
