-- Posts the entries of one capture. Returns the transaction, or null for a hold of 0.
-- Called by: ledger_capture.
-- Locks: none of its own; the caller holds those of ledger_capture.
CREATE OR REPLACE FUNCTION ledger_post_capture(hold holds, gross bigint, fee bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  wallet_id bigint;
  account_ids bigint[];
  entry_types text[] := ARRAY['invocation_release', 'invocation_release'];
  amounts bigint[] := ARRAY[-hold.amount_units, hold.amount_units];
BEGIN
  IF hold.amount_units = 0 THEN
    RETURN NULL;
  END IF;
  wallet_id := ledger_account(hold.buyer_user_id, 'wallet');
  account_ids := ARRAY[ledger_account(hold.buyer_user_id, 'escrow'), wallet_id];
  IF gross > 0 THEN
    account_ids := account_ids || ARRAY[wallet_id, ledger_account(hold.developer_user_id, 'payable'), 4];
    entry_types := entry_types || ARRAY['invocation_charge', 'invocation_earning', 'platform_fee'];
    amounts := amounts || ARRAY[-gross, gross - fee, fee];
  END IF;
  RETURN ledger_post('invocation_charge', 'invocation/' || hold.invocation_id || '/capture', hold.invocation_id,
    hold.agent_id, 'Charge for ' || hold.agent_id, hold.trace_id, account_ids, entry_types, amounts);
END $$;

REVOKE ALL ON FUNCTION ledger_post_capture FROM PUBLIC, market_app;
