-- Returns what slashes have refunded of the charge of a call, in units.
-- Called by: ledger_clawback, ledger_post_clawback, slash_weights, warranty_decide.
-- Locks: none; the developer's payable, which the caller has locked, keeps slashes from refunding more meanwhile.
CREATE OR REPLACE FUNCTION slash_refunded(call text) RETURNS bigint
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT coalesce(sum(c.refund_units), 0)::bigint FROM slash_calls c WHERE c.invocation_id = call AND c.refund_units > 0
$$;

REVOKE ALL ON FUNCTION slash_refunded FROM PUBLIC, market_app;
