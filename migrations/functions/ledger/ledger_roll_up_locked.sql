-- Adds what waits in pending_rollups to the balances of these accounts. The fees of their captures go to the account of
-- fees (4); when that is not among the accounts, and so not locked, they wait on as one row. Their lots wait on in
-- earning_deltas, as one row for each developer and day, and their calls in usage_deltas, as one row for each agent,
-- day and bucket of durations, jobs apart. Returns the number of rows that were added.
-- Called by: ledger_lock_clawback, ledger_roll_up, payout_reserve.
-- Locks: none of its own; the caller has locked the accounts.
CREATE OR REPLACE FUNCTION ledger_roll_up_locked(account_ids bigint[]) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE rolled bigint;
BEGIN
  WITH taken AS (
    DELETE FROM pending_rollups p WHERE p.account_id = ANY (ledger_roll_up_locked.account_ids)
    RETURNING p.account_id, p.amount_units, p.fee_units, p.matures_on, p.agent_id, p.called_on, p.duration_ms, p.is_job
  ), fees AS (
    INSERT INTO pending_rollups (account_id, amount_units)
    SELECT 4, sum(t.fee_units) FROM taken t HAVING sum(t.fee_units) <> 0 AND NOT 4 = ANY (ledger_roll_up_locked.account_ids)
  ), lots AS (
    INSERT INTO earning_deltas (developer_user_id, matures_on, lots, open_units, disputed_units, earned_units)
    SELECT a.user_id, t.matures_on, count(*), sum(t.amount_units), 0, sum(t.amount_units)
    FROM taken t JOIN accounts a USING (account_id) WHERE t.matures_on IS NOT NULL GROUP BY 1, 2
  ), calls AS (
    INSERT INTO usage_deltas (agent_id, day, status, error_code, calls, gross_units, fee_units, duration_ms, is_job)
    SELECT t.agent_id, t.called_on, 'succeeded', '', count(*), sum(t.amount_units + t.fee_units), sum(t.fee_units),
      min(t.duration_ms), t.is_job
    FROM taken t WHERE t.agent_id IS NOT NULL
    GROUP BY t.agent_id, t.called_on, t.is_job, usage_bucket(t.duration_ms, t.is_job)
  ), total AS (
    SELECT t.account_id, sum(t.amount)::bigint AS amount, count(*) AS rows
    FROM (SELECT n.account_id, n.amount_units AS amount FROM taken n
          UNION ALL SELECT 4, f.fee_units FROM taken f WHERE f.fee_units <> 0) t
    GROUP BY t.account_id
  ), moved AS (
    UPDATE accounts a SET balance_units = a.balance_units + t.amount, version = a.version + t.rows, updated_at = now()
    FROM total t WHERE a.account_id = t.account_id AND a.account_id = ANY (ledger_roll_up_locked.account_ids) AND a.hot
  )
  SELECT count(*) INTO rolled FROM taken;
  RETURN rolled;
END $$;

REVOKE ALL ON FUNCTION ledger_roll_up_locked FROM PUBLIC, market_app;
