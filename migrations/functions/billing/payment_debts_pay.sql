-- Pays the debts of reversed payments from the wallet, oldest first: wallet → platform, reference
-- `reversal/<id>/debt/<source>`, where the source is the top-up or the returned reversal that brought the credits. The
-- freeze that debts have set ends with the last debt; the freeze of an operator stays.
-- Called by: billing_complete_topups, payment_give_back.
-- Locks: the reversals of the owner; the caller has locked the wallet.
CREATE OR REPLACE FUNCTION payment_debts_pay(owner text, source text, trace text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  debt payment_reversals%ROWTYPE;
  units bigint;
BEGIN
  FOR debt IN SELECT r.* FROM payment_reversals r WHERE r.user_id = owner AND r.owed_units > 0
    ORDER BY r.taken_at, r.reversal_id
  LOOP
    units := least(debt.owed_units, ledger_wallet_units(owner));
    EXIT WHEN units = 0;
    PERFORM ledger_post('topup_reversal', 'reversal/' || debt.reversal_id || '/debt/' || source, NULL, NULL,
      'Debt paid: ' || CASE debt.kind WHEN 'refund' THEN 'refund' ELSE 'chargeback' END || ' of payment '
        || debt.payment_id,
      trace, ARRAY[ledger_account(owner, 'wallet'), 5], ARRAY['topup_reversal', 'topup_reversal'], ARRAY[-units, units]);
    UPDATE payment_reversals r SET owed_units = r.owed_units - units WHERE r.reversal_id = debt.reversal_id;
  END LOOP;
  DELETE FROM frozen_wallets f WHERE f.user_id = owner AND f.cause = 'debt'
    AND NOT EXISTS (SELECT FROM payment_reversals r WHERE r.user_id = owner AND r.owed_units > 0);
END $$;

REVOKE ALL ON FUNCTION payment_debts_pay FROM PUBLIC, market_app;
