-- Writes one transaction with its entries and moves the balances, account by account. Credits of hot accounts wait in
-- pending_rollups; debits of hot accounts (fees, payable) are taken at once. The loop over short statements is twice
-- as fast as one statement that does it all.
-- Called by: bond_deposit, bond_pay_waiting, ledger_pay_registration, ledger_post_clawback, ledger_top_up,
-- payment_debts_pay, payment_post_reversal, payout_late_return, payout_post_reserve, payout_settle, slash_apply,
-- slash_refund, slash_remedy, slash_return, warranty_decide, x402_payment_post, x402_refund_begin, x402_refund_end.
-- Locks: none of its own; the caller has locked every account that is debited, and has rolled up the hot ones among
-- them.
CREATE OR REPLACE FUNCTION ledger_post(
  kind text, reference text, invocation_id text, agent_id text, description text, trace_id text,
  account_ids bigint[], entry_types text[], amounts bigint[]
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  new_transaction_id text := ledger_new_id('txn');
  lines integer := cardinality(account_ids);
  first integer := 1;
  last integer;
  amount bigint;
  moved record;
  waiting_ids bigint[];
  waiting_amounts bigint[];
  balances bigint[];
  versions bigint[];
BEGIN
  WHILE first <= lines LOOP
    -- Neighbouring lines of one account are one move of its balance.
    last := first;
    amount := amounts[first];
    WHILE last < lines AND account_ids[last + 1] = account_ids[first] LOOP
      last := last + 1;
      amount := amount + amounts[last];
    END LOOP;
    UPDATE accounts a
    SET balance_units = a.balance_units + amount, version = a.version + (last - first + 1), updated_at = now()
    WHERE a.account_id = account_ids[first] AND (NOT a.hot OR (amount < 0 AND a.kind IN ('fees', 'payable')))
    RETURNING a.hot, a.balance_units, a.version INTO moved;
    IF NOT FOUND THEN
      waiting_ids := waiting_ids || account_ids[first];
      waiting_amounts := waiting_amounts || amount;
    ELSIF NOT moved.hot THEN
      FOR i IN REVERSE last .. first LOOP
        balances[i] := moved.balance_units;
        versions[i] := moved.version - (last - i);
        moved.balance_units := moved.balance_units - amounts[i];
      END LOOP;
    END IF;
    first := last + 1;
  END LOOP;
  IF waiting_ids IS NOT NULL THEN
    INSERT INTO pending_rollups (account_id, amount_units)
    SELECT waiting_ids[n], waiting_amounts[n] FROM generate_series(1, cardinality(waiting_ids)) AS n
    WHERE waiting_amounts[n] <> 0;
  END IF;
  WITH written AS (
    INSERT INTO entries (transaction_id, line, account_id, entry_type, amount_units,
                         balance_before_units, balance_after_units, account_version)
    SELECT new_transaction_id, n, account_ids[n], entry_types[n], amounts[n],
           balances[n] - amounts[n], balances[n], versions[n]
    FROM generate_series(1, lines) AS n ORDER BY n
    RETURNING account_id, entry_id
  )
  INSERT INTO transactions (transaction_id, kind, reference, invocation_id, agent_id, description, trace_id,
                            account_ids, first_entry_id, last_entry_id)
  SELECT new_transaction_id, ledger_post.kind, ledger_post.reference, ledger_post.invocation_id, ledger_post.agent_id,
         ledger_post.description, ledger_post.trace_id, array_agg(w.account_id), min(w.entry_id), max(w.entry_id)
  FROM written w;
  RETURN new_transaction_id;
END $$;

REVOKE ALL ON FUNCTION ledger_post FROM PUBLIC, market_app;
