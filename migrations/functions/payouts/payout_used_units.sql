-- Returns the fewest units that buy the same smallest currency units.
-- Called by: payout_terms.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_used_units(units bigint, method text, rate numeric) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  minor bigint := payout_minor(units, method, rate);
  used bigint := CASE method WHEN 'usdc' THEN units WHEN 'upi' THEN ceil(minor * 100 / rate) ELSE minor * 100 END;
BEGIN
  WHILE payout_minor(used, method, rate) < minor LOOP used := used + 1; END LOOP;
  WHILE used > 0 AND payout_minor(used - 1, method, rate) >= minor LOOP used := used - 1; END LOOP;
  RETURN used;
END $$;

REVOKE ALL ON FUNCTION payout_used_units FROM PUBLIC, market_app;
