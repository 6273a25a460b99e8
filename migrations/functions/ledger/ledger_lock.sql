-- Locks accounts in the order of their ids. A function locks all the accounts that it needs with one call of this, so
-- that two functions never wait for each other in a circle.
-- Called by: ledger_hold, ledger_lock_holds, ledger_lock_clawback, ledger_pay_registration, ledger_top_up,
-- billing_complete_topups, payment_reverse, payment_take_waiting, wallet_set_frozen, invocation_hold, bond_deposit, bond_pay_waiting, slash_apply,
-- slash_refund, slash_return, dispute_mark_lot, payout_reserve, payout_settle.
-- Locks: the given accounts, in id order.
CREATE OR REPLACE FUNCTION ledger_lock(account_ids bigint[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM 1 FROM accounts a WHERE a.account_id = ANY (ledger_lock.account_ids)
    ORDER BY a.account_id FOR NO KEY UPDATE;
END $$;

REVOKE ALL ON FUNCTION ledger_lock FROM PUBLIC, market_app;
