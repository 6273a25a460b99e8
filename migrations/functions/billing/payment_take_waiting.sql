-- Takes the waiting reversals of a payment from the credits that it became, when it has been credited or resolved:
-- wallet → topup_clearing → cash, reference `reversal/<id>/take`. The platform pays what the wallet lacks, which
-- becomes a debt and freezes the wallet. All reversals together take at most what the payment credited: each the share of
-- its amount, so that parts which add up to the payment take all of its credits. Each has a credit note. A reversal in
-- another currency than its payment keeps waiting.
-- Called by: payment_record, payment_resolve, payment_reverse.
-- Locks: the wallet, the reversals, then the series of credit notes; the caller has locked the payment.
CREATE OR REPLACE FUNCTION payment_take_waiting(payment text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  paid payments%ROWTYPE;
  topup topups%ROWTYPE;
  reversal payment_reversals%ROWTYPE;
  before record;
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
    SELECT coalesce(sum(r.amount_minor), 0) AS minor, coalesce(sum(r.reversed_units), 0) AS units INTO before
      FROM payment_reversals r WHERE r.payment_id = payment AND r.state = 'taken';
    units := greatest(0, coalesce(floor(topup.amount_units::numeric
      * least(before.minor + reversal.amount_minor, topup.amount_minor) / topup.amount_minor), 0) - before.units);
    missing := greatest(units - coalesce(ledger_wallet_units(topup.user_id), 0), 0);
    UPDATE payment_reversals r
    SET state = 'taken', user_id = topup.user_id, reversed_units = units, owed_units = missing, taken_at = now()
    WHERE r.reversal_id = reversal.reversal_id;
    IF units > 0 THEN
      PERFORM payment_post_reversal(reversal, 'take',
        CASE reversal.kind WHEN 'refund' THEN 'Refund of payment ' ELSE 'Chargeback of payment ' END || payment,
        topup.trace_id, wallet_id, units - missing, missing);
    END IF;
    PERFORM billing_issue_note('credit', reversal.reversal_id, topup.topup_id, reversal.amount_minor, units);
    IF missing > 0 THEN
      INSERT INTO frozen_wallets (user_id, cause) VALUES (topup.user_id, 'debt') ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION payment_take_waiting FROM PUBLIC, market_app;
