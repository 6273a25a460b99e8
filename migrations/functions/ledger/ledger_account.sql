-- Returns the id of a user's account of one kind. Raises 23503 when there is none.
-- Called by: bond_deposit, bond_pay_waiting, dispute_mark_lot, ledger_pay_registration, ledger_post_clawback,
-- ledger_top_up, payment_debts_pay, payment_give_back, payment_take_waiting, payout_late_return, payout_post_reserve,
-- payout_reserve, payout_settle, slash_apply, slash_refund, slash_remedy, slash_return, wallet_set_frozen,
-- warranty_decide, x402_payment_post, x402_refund_begin, x402_refund_end.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_account(owner_user_id text, account_kind text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE found_id bigint;
BEGIN
  SELECT a.account_id INTO found_id FROM accounts a WHERE a.user_id = owner_user_id AND a.kind = account_kind;
  IF found_id IS NULL THEN
    RAISE EXCEPTION 'no % account of user %', account_kind, owner_user_id USING ERRCODE = '23503';
  END IF;
  RETURN found_id;
END $$;

REVOKE ALL ON FUNCTION ledger_account FROM PUBLIC, market_app;
