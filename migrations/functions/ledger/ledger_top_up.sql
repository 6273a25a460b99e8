-- Credits top-ups: cash → topup_clearing → wallet, reference `topup/<id>`. The app role may not call it: money comes
-- in through billing_complete_topups, which knows what was paid. Outcomes: credited | already_credited.
-- Called by: billing_complete_topups.
-- Locks: the wallets, in id order.
CREATE OR REPLACE FUNCTION ledger_top_up(
  topup_ids text[], user_ids text[], amounts bigint[], descriptions text[], trace_ids text[]
) RETURNS SETOF ledger_result LANGUAGE plpgsql AS $$
DECLARE
  result ledger_result;
  wallet_id bigint;
BEGIN
  PERFORM ledger_lock(ARRAY(
    SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (user_ids) AND a.kind = 'wallet'));
  FOR i IN 1 .. cardinality(topup_ids) LOOP
    result := ROW (i, 'already_credited', ledger_transaction_of('topup/' || topup_ids[i]), amounts[i], NULL);
    IF result.transaction_id IS NULL THEN
      wallet_id := ledger_account(user_ids[i], 'wallet');
      result.outcome := 'credited';
      result.transaction_id := ledger_post(
        'topup', 'topup/' || topup_ids[i], NULL, NULL, descriptions[i], trace_ids[i],
        ARRAY[1, 2, 2, wallet_id], array_fill('topup'::text, ARRAY[4]),
        ARRAY[-amounts[i], amounts[i], -amounts[i], amounts[i]]);
      result.wallet_units := ledger_wallet_units(user_ids[i]);
    END IF;
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION ledger_top_up FROM PUBLIC, market_app;
