-- Writes the developer's answer to a review, once. Returns whether it did: false for a review that is answered or removed.
-- Called by: src/stores/evidence/reviews.ts.
-- Locks: the review.
CREATE OR REPLACE FUNCTION review_answer(id text, developer text, words text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE reviews r SET answer = words, answered_at = now()
   WHERE r.review_id = id AND r.developer_user_id = developer AND r.answered_at IS NULL AND r.removed_at IS NULL;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION review_answer FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION review_answer TO market_app;
