-- Returns whether an operator or a debt has frozen the wallet of this user.
-- Called by: auto_topup_begin, payout_reserve, x402_refund_begin, src/stores/operations/operator-lists.ts,
-- src/stores/operations/whereabouts.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION wallet_is_frozen(owner_user_id text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT EXISTS (SELECT FROM frozen_wallets f WHERE f.user_id = owner_user_id)
$$;

REVOKE ALL ON FUNCTION wallet_is_frozen FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION wallet_is_frozen TO market_app;
