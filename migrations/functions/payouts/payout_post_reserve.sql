-- Posts what a step of a reservation took: payable → payout_clearing, reference `payout/<id>/reserve` for the last step
-- and `payout/<id>/reserve/<n>` for the steps before it. The remainder below the smallest currency unit stays in
-- payable.
-- Called by: payout_take.
-- Locks: none of its own; the caller has locked payable.
CREATE OR REPLACE FUNCTION payout_post_reserve(made payouts, taken bigint, is_last boolean) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  payable_id bigint := ledger_account(made.developer_user_id, 'payable');
  kept bigint := CASE WHEN is_last THEN made.remainder_units ELSE 0 END;
  account_ids bigint[] := '{}';
  entry_types text[] := '{}';
  amounts bigint[] := '{}';
BEGIN
  IF taken > 0 THEN
    account_ids := account_ids || payable_id;
    entry_types := entry_types || 'payout'::text;
    amounts := amounts || -taken;
  END IF;
  IF kept > 0 THEN
    account_ids := account_ids || payable_id;
    entry_types := entry_types || 'payout_remainder'::text;
    amounts := amounts || kept;
  END IF;
  IF taken <> kept THEN
    account_ids := account_ids || 3::bigint;
    entry_types := entry_types || 'payout'::text;
    amounts := amounts || taken - kept;
  END IF;
  IF cardinality(amounts) > 0 THEN
    PERFORM ledger_post('payout', 'payout/' || made.payout_id || '/reserve'
      || CASE WHEN is_last THEN '' ELSE '/' || made.steps END, NULL, NULL, 'Payout ' || made.payout_id, made.trace_id,
      account_ids, entry_types, amounts);
  END IF;
END $$;

REVOKE ALL ON FUNCTION payout_post_reserve FROM PUBLIC, market_app;
