-- Takes the one-time registration fee, wallet → platform, reference `registration/<user_id>`, and marks the user as
-- registered in the same transaction. Outcomes: paid | already_paid | insufficient | not_a_developer.
-- Called by: src/stores/ledger/ledger-moves.ts.
-- Locks: the users in id order, then their wallets in id order.
CREATE OR REPLACE FUNCTION ledger_pay_registration(user_ids text[], trace_ids text[]) RETURNS SETOF ledger_result
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  result ledger_result;
  payer record;
  fee bigint := ledger_registration_fee_units();
  wallet_id bigint;
BEGIN
  PERFORM 1 FROM users u WHERE u.user_id = ANY (user_ids) ORDER BY u.user_id FOR NO KEY UPDATE;
  PERFORM ledger_lock(ARRAY(
    SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (user_ids) AND a.kind = 'wallet'));
  FOR i IN 1 .. cardinality(user_ids) LOOP
    result := ROW (i, NULL, NULL, 0, ledger_wallet_units(user_ids[i]));
    SELECT u.role, u.registration_paid_at INTO STRICT payer FROM users u WHERE u.user_id = user_ids[i];
    IF payer.role <> 'developer' THEN
      result.outcome := 'not_a_developer';
    ELSIF payer.registration_paid_at IS NOT NULL THEN
      result.outcome := 'already_paid';
      result.transaction_id := ledger_transaction_of('registration/' || user_ids[i]);
    ELSIF result.wallet_units < fee THEN
      result.outcome := 'insufficient';
    ELSE
      wallet_id := ledger_account(user_ids[i], 'wallet');
      result.transaction_id := ledger_post(
        'registration_fee', 'registration/' || user_ids[i], NULL, NULL, 'One-time registration fee', trace_ids[i],
        ARRAY[wallet_id, 5], ARRAY['registration_fee', 'registration_fee'], ARRAY[-fee, fee]);
      UPDATE users u SET registration_paid_at = now() WHERE u.user_id = user_ids[i];
      result.outcome := 'paid';
      result.amount_units := fee;
      result.wallet_units := result.wallet_units - fee;
    END IF;
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION ledger_pay_registration FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_pay_registration TO market_app;
