-- Returns the minimum of a payout by method (specification, Payouts: 1000, 5000, 500 and 1000 credits).
-- Called by: payout_terms.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_minimum_units(method text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE method WHEN 'ach' THEN 100000 WHEN 'swift' THEN 500000 WHEN 'upi' THEN 50000 WHEN 'usdc' THEN 100000 END;

REVOKE ALL ON FUNCTION payout_minimum_units FROM PUBLIC, market_app;
