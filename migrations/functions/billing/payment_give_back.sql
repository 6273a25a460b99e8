-- Ends a reversal that was won: gives back what it took, cash → topup_clearing → wallet, reference
-- `reversal/<id>/return`. What is still owed goes to the platform, which had paid it. A debit note
-- restores what the credit note had taken back.
-- Called by: payment_reverse.
-- Locks: the series of debit notes, then the reversals of the owner; the caller has locked the payment, the wallet and
-- this reversal.
CREATE OR REPLACE FUNCTION payment_give_back(reversal payment_reversals) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE payment_reversals r SET state = 'returned', owed_units = 0 WHERE r.reversal_id = reversal.reversal_id;
  IF reversal.state <> 'taken' OR reversal.reversed_units = 0 THEN RETURN; END IF;
  PERFORM payment_post_reversal(reversal, 'return',
    CASE reversal.kind WHEN 'refund' THEN 'Refund' ELSE 'Chargeback' END || ' of payment ' || reversal.payment_id || ' returned',
    NULL, ledger_account(reversal.user_id, 'wallet'), reversal.owed_units - reversal.reversed_units,
    -reversal.owed_units);
  PERFORM billing_issue_note('debit', reversal.reversal_id,
    (SELECT p.credited_topup_id FROM payments p WHERE p.payment_id = reversal.payment_id), 0, 0);
  PERFORM payment_debts_pay(reversal.user_id, reversal.reversal_id, NULL);
END $$;

REVOKE ALL ON FUNCTION payment_give_back FROM PUBLIC, market_app;
