-- Takes the waiting reversals of a payment from the credits that it became, when it has been credited or resolved:
-- wallet → topup_clearing → cash, reference `reversal/<id>/take`. The platform pays what the wallet lacks, which
-- becomes a debt and freezes the wallet. All reversals together take at most what the payment credited. A reversal in
-- another currency than its payment keeps waiting.
-- Called by: payment_record, payment_resolve, payment_reverse.
-- Locks: the wallet, then the reversals; the caller has locked the payment.
CREATE OR REPLACE FUNCTION payment_take_waiting(payment text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  paid payments%ROWTYPE;
  topup topups%ROWTYPE;
  reversal payment_reversals%ROWTYPE;
  wallet_id bigint;
  units bigint;
  missing bigint;
BEGIN
  SELECT p.* INTO paid FROM payments p WHERE p.payment_id = payment AND p.state <> 'quarantined';
  IF NOT FOUND THEN RETURN; END IF;
  SELECT t.* INTO topup FROM topups t WHERE t.topup_id = paid.credited_topup_id;
  IF FOUND THEN
    wallet_id := ledger_account(topup.user_id, 'wallet');
    PERFORM ledger_lock(ARRAY[wallet_id]);
  END IF;
  FOR reversal IN SELECT r.* FROM payment_reversals r
    WHERE r.payment_id = payment AND r.state = 'waiting' AND r.currency = paid.currency
    ORDER BY r.received_at, r.reversal_id
  LOOP
    units := least(reversal.amount_minor * coalesce(topup.amount_units / topup.amount_minor, 0),
      coalesce(topup.amount_units, 0) - (SELECT coalesce(sum(r.reversed_units), 0) FROM payment_reversals r
        WHERE r.payment_id = payment AND r.state = 'taken'));
    missing := greatest(units - coalesce(ledger_wallet_units(topup.user_id), 0), 0);
    UPDATE payment_reversals r
    SET state = 'taken', user_id = topup.user_id, reversed_units = units, owed_units = missing, taken_at = now()
    WHERE r.reversal_id = reversal.reversal_id;
    IF units > 0 THEN
      PERFORM payment_post_reversal(reversal, 'take',
        CASE reversal.kind WHEN 'refund' THEN 'Refund of payment ' ELSE 'Chargeback of payment ' END || payment,
        topup.trace_id, wallet_id, units - missing, missing);
    END IF;
    IF missing > 0 THEN
      INSERT INTO frozen_wallets (user_id, cause) VALUES (topup.user_id, 'debt') ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION payment_take_waiting FROM PUBLIC, market_app;
