-- Returns the balance of a user's wallet.
-- Called by: auto_topup_begin, billing_complete_topups, bond_deposit, ledger_capture_one, ledger_clawback,
-- ledger_pay_registration, ledger_top_up, ledger_void, payment_debts_pay, payment_take_waiting, x402_refund_begin.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_wallet_units(owner_user_id text) RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT a.balance_units FROM accounts a WHERE a.user_id = owner_user_id AND a.kind = 'wallet'
$$;

REVOKE ALL ON FUNCTION ledger_wallet_units FROM PUBLIC, market_app;
