-- Withdraws an announced rubric. Returns false when it is in effect already or does not exist.
-- Called by: src/stores/verification/rubrics.ts.
-- Locks: the advisory lock `rubrics`, then the rubric.
CREATE OR REPLACE FUNCTION rubric_withdraw(rubric text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('rubrics', 0));
  UPDATE rubrics SET withdrawn_at = coalesce(withdrawn_at, now())
    WHERE version = rubric AND effective_at IS NULL;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION rubric_withdraw FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION rubric_withdraw TO market_app;
