-- Counts the newest shown review of a buyer of an agent, and no other of it, and the difference in the sums of the agent.
-- Called by: review_follow.
-- Locks: the sums of the agent, then the row of the buyer.
CREATE OR REPLACE FUNCTION review_count(agent text, unit text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  was review_buyers;
  now_is review_buyers;
BEGIN
  INSERT INTO review_sums (agent_id, buyers, weight, weighted, stars) VALUES (agent, 0, 0, 0, '{0,0,0,0,0}')
  ON CONFLICT (agent_id) DO NOTHING;
  PERFORM FROM review_sums s WHERE s.agent_id = agent FOR UPDATE;
  SELECT b.* INTO was FROM review_buyers b WHERE b.agent_id = agent AND b.unit_id = unit;
  SELECT r.agent_id, r.unit_id, r.review_id, r.rating, r.weight INTO now_is FROM reviews r
   WHERE r.agent_id = agent AND r.unit_id = unit AND r.removed_at IS NULL ORDER BY r.review_id DESC LIMIT 1;
  IF was.review_id IS NOT DISTINCT FROM now_is.review_id THEN RETURN; END IF;
  IF now_is.review_id IS NULL THEN
    DELETE FROM review_buyers b WHERE b.agent_id = agent AND b.unit_id = unit;
  ELSE
    INSERT INTO review_buyers (agent_id, unit_id, review_id, rating, weight)
    VALUES (agent, unit, now_is.review_id, now_is.rating, now_is.weight)
    ON CONFLICT (agent_id, unit_id) DO UPDATE SET review_id = excluded.review_id, rating = excluded.rating,
      weight = excluded.weight;
  END IF;
  UPDATE review_sums s SET changed_at = now(),
    buyers = s.buyers + (now_is.review_id IS NOT NULL)::integer - (was.review_id IS NOT NULL)::integer,
    weight = s.weight + coalesce(now_is.weight, 0) - coalesce(was.weight, 0),
    weighted = s.weighted + coalesce(now_is.weight * now_is.rating, 0) - coalesce(was.weight * was.rating, 0),
    stars = ARRAY(SELECT s.stars[n] + coalesce((now_is.rating = n)::integer, 0) - coalesce((was.rating = n)::integer, 0)
                    FROM generate_series(1, 5) n ORDER BY n)
   WHERE s.agent_id = agent;
END $$;

REVOKE ALL ON FUNCTION review_count FROM PUBLIC, market_app;
