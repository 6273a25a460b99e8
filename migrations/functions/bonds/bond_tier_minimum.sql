-- Returns the minimum of a tier; mirrors BOND_TIERS of src/domain/bonds/bond.ts (specification, "Bond tiers").
-- Called by: bond_deposit, bond_tier_of, slash_shortfall.
-- Locks: none.
CREATE OR REPLACE FUNCTION bond_tier_minimum(tier text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE tier WHEN 'basic' THEN 50000 WHEN 'standard' THEN 250000 WHEN 'premium' THEN 1000000 END::bigint
$$;
