-- Holds the price of each call: wallet → escrow, with one `holds` row and the reference `invocation/<id>/hold`. A hold
-- of 0 has a row and no entries. The same id with another buyer, developer or amount raises 23514.
-- Outcomes: held | insufficient | already_open | already_resolved.
-- Called by: invocation_hold, src/stores/ledger/ledger-moves.ts.
-- Locks: wallet and escrow of the buyers, in id order.
CREATE OR REPLACE FUNCTION ledger_hold(
  invocation_ids text[], buyer_user_ids text[], developer_user_ids text[], agent_ids text[], version_ids text[],
  amounts bigint[], lease_untils timestamptz[], trace_ids text[]
) RETURNS SETOF ledger_result
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  result ledger_result;
  hold holds%ROWTYPE;
  wallet_balance bigint;
BEGIN
  IF cardinality(invocation_ids) > 1 THEN
    PERFORM ledger_lock(ARRAY(
      SELECT a.account_id FROM accounts a WHERE a.user_id = ANY (buyer_user_ids) AND a.kind IN ('wallet', 'escrow')));
  END IF;
  FOR i IN 1 .. cardinality(invocation_ids) LOOP
    result := ROW (i, NULL, NULL, amounts[i], NULL);
    SELECT a.balance_units INTO wallet_balance FROM accounts a
      WHERE a.user_id = buyer_user_ids[i] AND a.kind = 'wallet' FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'no wallet account of user %', buyer_user_ids[i] USING ERRCODE = '23503';
    END IF;
    SELECT h.* INTO hold FROM holds h WHERE h.invocation_id = invocation_ids[i];
    IF FOUND THEN
      IF (hold.buyer_user_id, hold.developer_user_id, hold.amount_units)
         IS DISTINCT FROM (buyer_user_ids[i], developer_user_ids[i], amounts[i]) THEN
        RAISE EXCEPTION 'hold % exists with other terms', hold.invocation_id USING ERRCODE = '23514';
      END IF;
      result.outcome := CASE hold.state WHEN 'open' THEN 'already_open' ELSE 'already_resolved' END;
      result.transaction_id := coalesce(hold.hold_transaction_id,
        ledger_transaction_of('invocation/' || hold.invocation_id || '/hold'));
      RETURN NEXT result;
      CONTINUE;
    END IF;
    IF wallet_balance < amounts[i] THEN
      result.outcome := 'insufficient';
      RETURN NEXT result;
      CONTINUE;
    END IF;
    INSERT INTO holds AS h (invocation_id, buyer_user_id, developer_user_id, agent_id, version_id, amount_units,
                            lease_until, trace_id, hold_transaction_id)
    VALUES (invocation_ids[i], buyer_user_ids[i], developer_user_ids[i], agent_ids[i], version_ids[i], amounts[i],
            lease_untils[i], trace_ids[i], CASE WHEN amounts[i] > 0 THEN ledger_new_id('txn') END)
    RETURNING h.* INTO hold;
    -- A task may have waited for its hold.
    INSERT INTO long_calls (invocation_id, buyer_user_id, agent_id) SELECT hold.invocation_id, hold.buyer_user_id, hold.agent_id FROM long_calls_since s
      WHERE hold.invocation_id < long_calls_id(s.last_value) ON CONFLICT DO NOTHING;
    result.transaction_id := hold.hold_transaction_id;
    result.outcome := 'held';
    result.wallet_units := coalesce(ledger_post_step(hold, 'hold'), wallet_balance);
    RETURN NEXT result;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION ledger_hold FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_hold TO market_app;
