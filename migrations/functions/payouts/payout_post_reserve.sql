-- Posts the reservation of a payout: payable → payout_clearing, reference `payout/<id>/reserve`. The remainder below
-- the smallest currency unit stays in payable.
-- Called by: payout_reserve.
-- Locks: none of its own; the caller has locked payable.
CREATE OR REPLACE FUNCTION payout_post_reserve(made payouts) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  payable_id bigint := ledger_account(made.developer_user_id, 'payable');
  account_ids bigint[] := ARRAY[payable_id];
  entry_types text[] := ARRAY['payout'];
  amounts bigint[] := ARRAY[-(made.amount_units + made.remainder_units)];
BEGIN
  IF made.remainder_units > 0 THEN
    account_ids := account_ids || payable_id;
    entry_types := entry_types || 'payout_remainder'::text;
    amounts := amounts || made.remainder_units;
  END IF;
  RETURN ledger_post('payout', 'payout/' || made.payout_id || '/reserve', NULL, NULL,
    'Payout ' || made.payout_id, made.trace_id, account_ids || 3::bigint, entry_types || 'payout'::text,
    amounts || made.amount_units);
END $$;

REVOKE ALL ON FUNCTION payout_post_reserve FROM PUBLIC, market_app;
