-- Posts one clawback, of the whole charge or of the part that the buyer gets: fees return their share of the fee, and the
-- developer returns the net from payable, then wallet, then bond. The platform bears what is missing, and clawback_debts
-- records it. The buyer gets the whole gross less what slashes have refunded of the call: that goes back to the bond first,
-- which had paid it (ADR 0157). With a part, the shares are those of the part and of what slashes have refunded together, so
-- that the greatest part and the whole differ by no more than the part (ADR 0356).
-- Called by: ledger_clawback.
-- Locks: none of its own; the caller holds those of ledger_lock_clawback.
CREATE OR REPLACE FUNCTION ledger_post_clawback(hold holds, lot earnings, part bigint) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  source record;
  slashed bigint := slash_refunded(lot.invocation_id);
  refund bigint := coalesce(part, lot.gross_units - slashed);
  fee bigint := ledger_fee_of_part(refund + slashed, lot.gross_units, lot.fee_units);
  missing bigint := refund + slashed - fee;
  share bigint;
  account_ids bigint[] := '{}';
  entry_types text[] := '{}';
  amounts bigint[] := '{}';
BEGIN
  IF fee > 0 THEN
    account_ids := ARRAY[4];
    entry_types := ARRAY['platform_fee'];
    amounts := ARRAY[-fee];
  END IF;
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
  IF refund > 0 THEN
    account_ids := account_ids || ledger_account(hold.buyer_user_id, 'wallet');
    entry_types := entry_types || 'dispute_refund'::text;
    amounts := amounts || refund;
  END IF;
  UPDATE earnings e SET dispute_open = false, clawed_back_at = CASE WHEN part IS NULL THEN now() END,
      returned_units = part, returned_fee_units = CASE WHEN part IS NOT NULL THEN fee END,
      returned_net_units = CASE WHEN part IS NOT NULL THEN refund + slashed - fee END
    WHERE e.invocation_id = lot.invocation_id;
  RETURN ledger_post('dispute_refund', 'invocation/' || lot.invocation_id || '/clawback', lot.invocation_id,
    lot.agent_id, CASE WHEN part IS NULL THEN 'Dispute won over ' ELSE 'Part returned after a dispute over ' END
      || lot.agent_id, hold.trace_id, account_ids, entry_types, amounts);
END $$;

REVOKE ALL ON FUNCTION ledger_post_clawback FROM PUBLIC, market_app;
