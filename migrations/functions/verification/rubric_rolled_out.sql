-- Notes that all agents were asked to be verified under this rubric.
-- Called by: src/stores/verification/rubrics.ts.
-- Locks: the rubric.
CREATE OR REPLACE FUNCTION rubric_rolled_out(rubric text, as_of timestamptz) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE rubrics SET rolled_out_at = as_of WHERE version = rubric AND effective_at IS NOT NULL
$$;

REVOKE ALL ON FUNCTION rubric_rolled_out FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION rubric_rolled_out TO market_app;
