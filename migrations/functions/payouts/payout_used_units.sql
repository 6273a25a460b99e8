-- Returns the fewest units that buy the same smallest units of a rail's currency.
-- Called by: payout_terms.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_used_units(units bigint, minor_per_credit bigint, rate numeric) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  minor bigint := payout_minor(units, minor_per_credit, rate);
  used bigint := ceil(minor::numeric * 100 / (minor_per_credit * coalesce(rate, 1)));
BEGIN
  WHILE payout_minor(used, minor_per_credit, rate) < minor LOOP used := used + 1; END LOOP;
  WHILE used > 0 AND payout_minor(used - 1, minor_per_credit, rate) >= minor LOOP used := used - 1; END LOOP;
  RETURN used;
END $$;

REVOKE ALL ON FUNCTION payout_used_units FROM PUBLIC, market_app;
