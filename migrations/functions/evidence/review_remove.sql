-- Removes a review for an operator: it is neither shown nor counted any more. Returns whether it did: false for one that was removed before.
-- Called by: src/stores/evidence/reviews.ts.
-- Locks: the review, then those of review_count.
CREATE OR REPLACE FUNCTION review_remove(id text, operator text, why text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE reviews r SET removed_at = now(), removed_by = operator, removal_reason = why
   WHERE r.review_id = id AND r.removed_at IS NULL;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION review_remove FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION review_remove TO market_app;
