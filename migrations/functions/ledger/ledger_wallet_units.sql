-- Returns the balance of a user's wallet.
-- Called by: ledger_capture, ledger_void, ledger_clawback, ledger_pay_registration, ledger_top_up, bond_deposit,
-- billing_complete_topups, payment_take_waiting, payment_debts_pay.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_wallet_units(owner_user_id text) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT a.balance_units FROM accounts a WHERE a.user_id = owner_user_id AND a.kind = 'wallet'
$$;

REVOKE ALL ON FUNCTION ledger_wallet_units FROM PUBLIC, market_app;
