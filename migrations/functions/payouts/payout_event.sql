-- Records an event of a payout for its developer.
-- Called by: payout_late_return, payout_settle, payout_take.
-- Locks: none.
CREATE OR REPLACE FUNCTION payout_event(event_type text, made payouts) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM event_record(event_type, jsonb_strip_nulls(jsonb_build_object(
    'payout_id', made.payout_id, 'status', made.status, 'credits', made.amount_units / 100.0, 'method', made.method,
    'amount_minor', made.amount_minor, 'currency', made.currency, 'reason', made.reason,
    'period_end', to_char(made.as_of AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))),
    ARRAY[made.developer_user_id]);
END $$;

REVOKE ALL ON FUNCTION payout_event FROM PUBLIC, market_app;
