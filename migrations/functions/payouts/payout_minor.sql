-- Returns the smallest currency units that these units buy at the value of a credit, USD 0.01, rounded down: cents,
-- paise at the rate, millionths of USDC.
-- Called by: payout_terms, payout_used_units.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_minor(units bigint, method text, rate numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE method WHEN 'usdc' THEN units * 100 WHEN 'upi' THEN floor(units * rate / 100) ELSE units / 100 END;

REVOKE ALL ON FUNCTION payout_minor FROM PUBLIC, market_app;
