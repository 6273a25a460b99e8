-- The share of the fee in a part of a charge: the nearest whole unit, and of two equally near ones the lower. So fee and net of
-- the part are what the largest remainder gives, and neither is more than that of the charge.
-- Called by: ledger_post_clawback.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_fee_of_part(part bigint, gross bigint, fee bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT div(2 * part::numeric * fee + gross - 1, 2 * gross::numeric)::bigint
$$;

REVOKE ALL ON FUNCTION ledger_fee_of_part FROM PUBLIC, market_app;
