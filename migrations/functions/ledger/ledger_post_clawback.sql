-- Posts one clawback: fees return the fee, and the developer returns the net from payable, then wallet, then bond. The
-- platform bears what is missing, and clawback_debts records it. The buyer gets the gross less what slashes have
-- refunded of the call: that goes back to the bond first, which had paid it (ADR 0157).
-- Called by: ledger_clawback.
-- Locks: none of its own; the caller holds those of ledger_lock_clawback.
CREATE OR REPLACE FUNCTION ledger_post_clawback(hold holds, lot earnings) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  source record;
  missing bigint := lot.net_units;
  slashed bigint := slash_refunded(lot.invocation_id);
  share bigint;
  account_ids bigint[] := ARRAY[4];
  entry_types text[] := ARRAY['platform_fee'];
  amounts bigint[] := ARRAY[-lot.fee_units];
BEGIN
  IF slashed > 0 THEN
    account_ids := account_ids || ledger_account(lot.developer_user_id, 'bond');
    entry_types := entry_types || 'dispute_refund'::text;
    amounts := amounts || slashed;
  END IF;
  FOR source IN
    SELECT a.account_id, a.kind, a.balance_units + CASE a.kind WHEN 'bond' THEN slashed ELSE 0 END AS balance_units
    FROM accounts a
    WHERE a.user_id = lot.developer_user_id AND a.kind IN ('payable', 'wallet', 'bond')
    ORDER BY array_position(ARRAY['payable', 'wallet', 'bond'], a.kind)
  LOOP
    share := least(missing, source.balance_units);
    IF source.kind = 'payable' THEN
      PERFORM ledger_recover_from_lots(lot, share);
    END IF;
    IF share > 0 THEN
      account_ids := account_ids || source.account_id;
      entry_types := entry_types || 'dispute_refund'::text;
      amounts := amounts || -share;
      missing := missing - share;
    END IF;
  END LOOP;
  IF missing > 0 THEN
    account_ids := account_ids || 5::bigint;
    entry_types := entry_types || 'dispute_refund'::text;
    amounts := amounts || -missing;
    INSERT INTO clawback_debts (invocation_id, developer_user_id, owed_units)
    VALUES (lot.invocation_id, lot.developer_user_id, missing);
  END IF;
  IF lot.gross_units > slashed THEN
    account_ids := account_ids || ledger_account(hold.buyer_user_id, 'wallet');
    entry_types := entry_types || 'dispute_refund'::text;
    amounts := amounts || (lot.gross_units - slashed);
  END IF;
  RETURN ledger_post('dispute_refund', 'invocation/' || lot.invocation_id || '/clawback', lot.invocation_id,
    lot.agent_id, 'Dispute won over ' || lot.agent_id, hold.trace_id,
    account_ids, entry_types, amounts);
END $$;

REVOKE ALL ON FUNCTION ledger_post_clawback FROM PUBLIC, market_app;
