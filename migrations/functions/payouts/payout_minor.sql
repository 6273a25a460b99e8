-- Returns the smallest units of a rail's currency that these units buy at the value of a credit, USD 0.01, rounded down:
-- cents, paise at the rate, millionths of USDC. A rail without a rate has null.
-- Called by: payout_terms, payout_used_units.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_minor(units bigint, minor_per_credit bigint, rate numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN floor(units::numeric * minor_per_credit * coalesce(rate, 1) / 100);

REVOKE ALL ON FUNCTION payout_minor FROM PUBLIC, market_app;
