-- Returns a payout without lots, with the carries that the caller has counted.
-- Called by: payout_reserve.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_begin(
  made payouts, developer text, monday timestamptz, attempt_no integer, destination text, trace text
) RETURNS payouts
LANGUAGE plpgsql AS $$
BEGIN
  made.payout_id := ledger_new_id('pay');
  made.developer_user_id := developer;
  made.as_of := monday;
  made.attempt := attempt_no;
  made.period_start := monday - interval '168 hours';
  made.status := 'reserving';
  made.lots_units := 0;
  made.lots := 0;
  made.steps := 0;
  made.amount_units := 0;
  made.remainder_units := 0;
  made.trace_id := trace;
  made.initiated_at := now();
  made.pay_to := destination;
  RETURN made;
END $$;

REVOKE ALL ON FUNCTION payout_begin FROM PUBLIC, market_app;
