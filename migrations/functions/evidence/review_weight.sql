-- The weight of a review: 1 to 10 for what the call cost, a point more with each doubling from one credit on, times 1 to 10 for the history
-- of the buyer, one and a point for each other developer whom it has paid in the last months.
-- Called by: review_write.
-- Locks: none.
CREATE OR REPLACE FUNCTION review_weight(units bigint, buyer text, developer text) RETURNS integer
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
  SELECT (least(10, 1 + floor(log(2.0, 1 + units / 100.0)))
    * least(10, 1 + (SELECT count(DISTINCT f.developer_user_id) FROM (
        SELECT m.developer_user_id FROM money_flows m
         WHERE m.payer_user_id = buyer AND m.developer_user_id <> developer AND m.units > 0 LIMIT 100) f)))::integer
$$;

REVOKE ALL ON FUNCTION review_weight FROM PUBLIC, market_app;
