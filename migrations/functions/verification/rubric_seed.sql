-- Inserts the first rubric of a market, which comes with the code. Does nothing when there is one.
-- Called by: src/stores/verification/rubrics.ts.
-- Locks: the advisory lock `rubrics`.
CREATE OR REPLACE FUNCTION rubric_seed(rubric text, document text, changelog text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('rubrics', 0));
  IF EXISTS (SELECT FROM rubrics) THEN RETURN; END IF;
  INSERT INTO rubrics (version, document, changelog, weights_changed, published_at, comment_ends_at, effective_at,
      rolled_out_at)
    VALUES (rubric, document, changelog, false, now(), now(), now(), now());
END $$;

REVOKE ALL ON FUNCTION rubric_seed FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION rubric_seed TO market_app;
