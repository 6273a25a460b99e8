-- Returns what is left of the charges of calls: nothing of those that a dispute took back, and of the others the gross
-- less what slashes have refunded and the part that a dispute returned.
-- Called by: slash_apply, slash_split.
-- Locks: none.
CREATE OR REPLACE FUNCTION slash_weights(calls text[]) RETURNS TABLE (invocation text, units bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT e.invocation_id, CASE WHEN e.clawed_back_at IS NOT NULL THEN 0
      ELSE greatest(0, e.gross_units - slash_refunded(e.invocation_id) - coalesce(e.returned_units, 0)) END::bigint
    FROM all_earnings e WHERE e.invocation_id = ANY (calls)
$$;

REVOKE ALL ON FUNCTION slash_weights FROM PUBLIC, market_app;
