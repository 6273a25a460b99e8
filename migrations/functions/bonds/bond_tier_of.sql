-- Returns the highest tier whose minimum this amount reaches, or null.
-- Called by: bond_deposit, bond_pay_waiting.
-- Locks: none.
CREATE OR REPLACE FUNCTION bond_tier_of(units bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT t.tier FROM unnest(ARRAY['premium', 'standard', 'basic']) WITH ORDINALITY t(tier, n)
    WHERE units >= bond_tier_minimum(t.tier) ORDER BY t.n LIMIT 1
$$;
