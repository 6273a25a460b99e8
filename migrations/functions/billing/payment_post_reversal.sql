-- Posts the movement of a reversal: from the wallet and the platform through topup_clearing to cash. Negative amounts
-- move the other way.
-- Called by: payment_give_back, payment_take_waiting.
-- Locks: none; the caller has locked the wallet.
CREATE OR REPLACE FUNCTION payment_post_reversal(
  reversal payment_reversals, step text, description text, trace text, wallet_id bigint, from_wallet bigint,
  from_platform bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  total bigint := from_wallet + from_platform;
  account_ids bigint[] := ARRAY[2, 2, 1];
  amounts bigint[] := ARRAY[total, -total, total];
BEGIN
  IF from_platform <> 0 THEN
    account_ids := 5 || account_ids;
    amounts := -from_platform || amounts;
  END IF;
  IF from_wallet <> 0 THEN
    account_ids := wallet_id || account_ids;
    amounts := -from_wallet || amounts;
  END IF;
  PERFORM ledger_post('topup_reversal', 'reversal/' || reversal.reversal_id || '/' || step, NULL, NULL, description,
    trace, account_ids, array_fill('topup_reversal'::text, ARRAY[cardinality(account_ids)]), amounts);
END $$;

REVOKE ALL ON FUNCTION payment_post_reversal FROM PUBLIC, market_app;
