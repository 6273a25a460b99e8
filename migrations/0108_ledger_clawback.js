/**
 * ledger_clawback: a dispute that the buyer won after the capture; reference `invocation/<id>/clawback`. The buyer
 * gets the gross back: the platform returns its fee, the developer the net, from payable, then wallet, then bond;
 * what is missing the platform bears, recorded in clawback_debts (contract, "Disputes").
 * Outcomes: clawed_back | already_clawed_back | nothing_charged | not_captured | no_hold.
 */
exports.up = (knex) =>
  knex.raw(`
  -- Locks holds, then every account that may pay or be paid, and rolls up the hot ones among them.
  CREATE FUNCTION ledger_lock_clawback(invocation_ids text[]) RETURNS void
  LANGUAGE plpgsql AS $$
  DECLARE
    buyers text[];
    developers text[];
    account_ids bigint[];
  BEGIN
    WITH locked AS (
      SELECT h.buyer_user_id, h.developer_user_id FROM holds h
      WHERE h.invocation_id = ANY (ledger_lock_clawback.invocation_ids) ORDER BY h.invocation_id FOR NO KEY UPDATE)
    SELECT array_agg(DISTINCT l.buyer_user_id), array_agg(DISTINCT l.developer_user_id)
    INTO buyers, developers FROM locked l;
    account_ids := ARRAY(
      SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (buyers) AND a.kind = 'wallet'
      UNION SELECT a.account_id FROM accounts a
        WHERE a.user_id = ANY (developers) AND a.kind IN ('payable', 'wallet', 'bond')
      UNION SELECT 4);
    PERFORM ledger_lock(account_ids);
    PERFORM ledger_roll_up_locked(account_ids);
  END $$;

  -- Marks what a clawback took of payable on the lots: its own first, then the developer's oldest. The lock on
  -- payable guards all lots of the developer.
  CREATE FUNCTION ledger_recover_from_lots(lot earnings, taken bigint) RETURNS void
  LANGUAGE plpgsql AS $$
  DECLARE
    other record;
    missing bigint := taken;
    share bigint;
  BEGIN
    FOR other IN
      SELECT e.invocation_id, e.net_units - e.recovered_units AS open_units FROM earnings e
      WHERE e.developer_user_id = lot.developer_user_id AND e.payout_id IS NULL AND e.recovered_units < e.net_units
      ORDER BY e.invocation_id <> lot.invocation_id, e.matures_at, e.invocation_id
    LOOP
      EXIT WHEN missing = 0;
      share := least(missing, other.open_units);
      UPDATE earnings e SET recovered_units = e.recovered_units + share WHERE e.invocation_id = other.invocation_id;
      missing := missing - share;
    END LOOP;
    IF missing <> 0 THEN
      RAISE EXCEPTION 'payable of % holds % more than its lots', lot.developer_user_id, missing USING ERRCODE = '23514';
    END IF;
    UPDATE earnings e SET clawed_back_at = now(), dispute_open = false WHERE e.invocation_id = lot.invocation_id;
  END $$;

  CREATE FUNCTION ledger_post_clawback(hold holds, lot earnings) RETURNS text
  LANGUAGE plpgsql AS $$
  DECLARE
    source record;
    missing bigint := lot.net_units;
    share bigint;
    account_ids bigint[] := ARRAY[4];
    entry_types text[] := ARRAY['platform_fee'];
    amounts bigint[] := ARRAY[-lot.fee_units];
  BEGIN
    FOR source IN
      SELECT a.account_id, a.kind, a.balance_units FROM accounts a
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
    RETURN ledger_post('dispute_refund', 'invocation/' || lot.invocation_id || '/clawback', lot.invocation_id,
      lot.agent_id, 'Dispute won over ' || lot.agent_id, hold.trace_id,
      account_ids || ledger_account(hold.buyer_user_id, 'wallet'), entry_types || 'dispute_refund'::text,
      amounts || lot.gross_units);
  END $$;

  CREATE FUNCTION ledger_clawback(invocation_ids text[]) RETURNS SETOF ledger_result
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    result ledger_result;
    hold holds%ROWTYPE;
    lot earnings%ROWTYPE;
  BEGIN
    PERFORM ledger_lock_clawback(invocation_ids);
    FOR i IN 1 .. cardinality(invocation_ids) LOOP
      result := ROW (i, NULL, NULL, NULL, NULL);
      SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = invocation_ids[i];
      SELECT e.* INTO lot FROM earnings e WHERE e.invocation_id = invocation_ids[i];
      result.amount_units := lot.gross_units;
      IF hold.invocation_id IS NULL THEN
        result.outcome := 'no_hold';
      ELSIF hold.state <> 'captured' THEN
        result.outcome := 'not_captured';
      ELSIF lot.invocation_id IS NULL THEN
        result.outcome := 'nothing_charged';
      ELSIF lot.clawed_back_at IS NOT NULL THEN
        result.outcome := 'already_clawed_back';
        result.transaction_id := ledger_transaction_of('invocation/' || lot.invocation_id || '/clawback');
      ELSE
        result.transaction_id := ledger_post_clawback(hold, lot);
        result.outcome := 'clawed_back';
        result.wallet_units := ledger_wallet_units(hold.buyer_user_id);
      END IF;
      RETURN NEXT result;
    END LOOP;
  END $$;

  REVOKE ALL ON FUNCTION ledger_lock_clawback, ledger_recover_from_lots, ledger_post_clawback, ledger_clawback
    FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION ledger_clawback TO market_app;
`);

exports.down = (knex) =>
  knex.raw(
    'DROP FUNCTION ledger_clawback, ledger_post_clawback, ledger_recover_from_lots, ledger_lock_clawback;',
  );
