-- What one account paid for successful calls of another's agents since the first day of a month, in units.
-- Called by: owner_circles_find.
-- Locks: none.
CREATE OR REPLACE FUNCTION money_flow(payer text, developer text, since date) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
  SELECT coalesce(sum(f.units), 0)::bigint FROM money_flows f
   WHERE f.payer_user_id = payer AND f.developer_user_id = developer AND f.month >= since
$$;

REVOKE ALL ON FUNCTION money_flow FROM PUBLIC, market_app;
