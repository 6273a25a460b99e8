-- Locks accounts in the order of their ids. A function locks all the accounts that it needs with one call of this, so
-- that two functions never wait for each other in a circle.
-- Called by: billing_complete_topups, bond_deposit, bond_pay_waiting, dispute_mark_lot, invocation_hold, ledger_hold,
-- ledger_lock_clawback, ledger_lock_holds, ledger_pay_registration, ledger_top_up, payment_reverse,
-- payment_take_waiting, payout_late_return, payout_reserve, payout_settle, slash_apply, slash_refund, slash_return,
-- wallet_set_frozen, warranty_decide, x402_payment_post, x402_refund_begin, x402_refund_end.
-- Locks: the given accounts, in id order.
CREATE OR REPLACE FUNCTION ledger_lock(account_ids bigint[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM 1 FROM accounts a WHERE a.account_id = ANY (ledger_lock.account_ids)
    ORDER BY a.account_id FOR NO KEY UPDATE;
END $$;

REVOKE ALL ON FUNCTION ledger_lock FROM PUBLIC, market_app;
