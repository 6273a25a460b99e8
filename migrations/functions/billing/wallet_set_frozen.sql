-- Freezes or unfreezes a wallet for an operator; the freeze of a debt stays. Returns whether anything changed.
-- Accepting a call locks the wallet too, so that a call is accepted before the freeze or refused after it.
-- Called by: src/stores/billing/frozen-wallets.ts.
-- Locks: the wallet.
CREATE OR REPLACE FUNCTION wallet_set_frozen(owner_user_id text, to_frozen boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM ledger_lock(ARRAY[ledger_account(owner_user_id, 'wallet')]);
  IF to_frozen THEN
    INSERT INTO frozen_wallets (user_id, cause) VALUES (owner_user_id, 'operator') ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM frozen_wallets f WHERE f.user_id = owner_user_id AND f.cause = 'operator';
  END IF;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION wallet_set_frozen FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION wallet_set_frozen TO market_app;
