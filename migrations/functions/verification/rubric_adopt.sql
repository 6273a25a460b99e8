-- Puts a rubric into effect after its comment period. Returns true when it is in effect (now or already), false when
-- its comment period is not over or it was withdrawn. `as_of` is the clock of the workflow that waits.
-- Called by: src/stores/verification/rubrics.ts.
-- Locks: the advisory lock `rubrics`, then the rubric.
CREATE OR REPLACE FUNCTION rubric_adopt(rubric text, as_of timestamptz) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE r rubrics;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('rubrics', 0));
  SELECT * INTO r FROM rubrics WHERE version = rubric FOR UPDATE;
  IF NOT FOUND OR r.withdrawn_at IS NOT NULL THEN RETURN false; END IF;
  IF r.effective_at IS NOT NULL THEN RETURN true; END IF;
  -- The clock of a workflow has milliseconds.
  IF as_of < date_trunc('milliseconds', r.comment_ends_at) THEN RETURN false; END IF;
  UPDATE rubrics SET effective_at = as_of WHERE version = rubric;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION rubric_adopt FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION rubric_adopt TO market_app;
