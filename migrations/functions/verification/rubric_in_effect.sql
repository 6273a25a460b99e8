-- Returns the rubric in effect: the one that took effect last.
-- Called by: rubric_publish, src/stores/verification/rubrics.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION rubric_in_effect() RETURNS rubrics
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT r FROM rubrics r WHERE r.effective_at IS NOT NULL ORDER BY r.effective_at DESC, r.sequence DESC LIMIT 1
$$;
