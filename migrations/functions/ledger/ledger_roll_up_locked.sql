-- Adds what waits in pending_rollups to the balances of these accounts. Returns the number of rows that it added.
-- Called by: ledger_roll_up, ledger_lock_clawback, payout_reserve.
-- Locks: none of its own; the caller has locked the accounts.
CREATE OR REPLACE FUNCTION ledger_roll_up_locked(account_ids bigint[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE rolled bigint;
BEGIN
  WITH taken AS (
    DELETE FROM pending_rollups p WHERE p.account_id = ANY (ledger_roll_up_locked.account_ids)
    RETURNING p.account_id, p.amount_units
  ), total AS (
    SELECT t.account_id, sum(t.amount_units)::bigint AS amount, count(*) AS rows FROM taken t GROUP BY t.account_id
  ), moved AS (
    UPDATE accounts a SET balance_units = a.balance_units + t.amount, version = a.version + t.rows, updated_at = now()
    FROM total t WHERE a.account_id = t.account_id AND a.hot RETURNING t.rows
  )
  SELECT coalesce(sum(m.rows), 0) INTO rolled FROM moved m;
  RETURN rolled;
END $$;

REVOKE ALL ON FUNCTION ledger_roll_up_locked FROM PUBLIC, market_app;
