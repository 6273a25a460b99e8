-- Opens a shortfall when the bond is below the minimum of its tier. An open shortfall keeps its deadline. Returns the
-- deadline of a shortfall that it opened, or null.
-- Called by: slash_resolve.
-- Locks: none of its own; the caller has locked the bond.
CREATE OR REPLACE FUNCTION slash_shortfall(slash slashes, as_of timestamptz) RETURNS timestamptz
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE deadline timestamptz;
BEGIN
  UPDATE bonds b SET shortfall_slash_id = slash.slash_id, shortfall_minimum_units = bond_tier_minimum(b.tier),
      shortfall_since = as_of, shortfall_deadline = as_of + slash.top_up_ms * interval '1 millisecond'
    WHERE b.developer_user_id = slash.developer_user_id AND b.shortfall_slash_id IS NULL
      AND bond_tier_minimum(b.tier) > bond_balance(b.developer_user_id, 'bond')
    RETURNING b.shortfall_deadline INTO deadline;
  RETURN deadline;
END $$;

REVOKE ALL ON FUNCTION slash_shortfall FROM PUBLIC, market_app;
