-- Writes the review of a call by its buyer. Returns `written`, or why not: `not_found`, `not_paid` (it is no paid success), `too_late`
-- (30 days after its end), `reviewed`, `related` (to the developer).
-- Called by: src/stores/evidence/reviews.ts.
-- Locks: the review of the call, by its unique insert, then those of review_count.
CREATE OR REPLACE FUNCTION review_write(id text, call text, buyer text, stars integer, words text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  paid invocations;
  unit  text;
BEGIN
  SELECT i.* INTO paid FROM invocations i WHERE i.invocation_id = call AND i.buyer_user_id = buyer;
  IF paid.invocation_id IS NULL THEN RETURN 'not_found'; END IF;
  IF paid.status <> 'succeeded' OR coalesce(paid.charged_units, 0) = 0 THEN RETURN 'not_paid'; END IF;
  IF paid.settled_at <= now() - interval '30 days' THEN RETURN 'too_late'; END IF;
  unit := counted_unit(buyer, paid.developer_user_id);
  IF unit IS NULL THEN RETURN 'related'; END IF;
  INSERT INTO reviews (review_id, invocation_id, agent_id, version, developer_user_id, buyer_user_id, unit_id, rating, body,
    charged_units, weight)
  VALUES (id, call, paid.agent_id, paid.version, paid.developer_user_id, buyer, unit, stars, words, paid.charged_units,
    review_weight(paid.charged_units, buyer, paid.developer_user_id))
  ON CONFLICT (invocation_id) DO NOTHING;
  RETURN CASE WHEN FOUND THEN 'written' ELSE 'reviewed' END;
END $$;

REVOKE ALL ON FUNCTION review_write FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION review_write TO market_app;
