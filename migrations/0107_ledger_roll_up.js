/**
 * ledger_roll_up: adds what waits in pending_rollups to the hot accounts, under each account's lock. Any process may
 * call it at any time: it skips accounts that somebody else is rolling up or debiting, and captures never wait for it.
 */
exports.up = (knex) =>
  knex.raw(`
  -- For accounts that the caller has locked.
  CREATE FUNCTION ledger_roll_up_locked(account_ids bigint[]) RETURNS bigint
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

  CREATE FUNCTION ledger_roll_up(max_accounts integer) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE locked bigint[];
  BEGIN
    SELECT array_agg(l.account_id) INTO locked FROM (
      SELECT a.account_id FROM accounts a
      WHERE a.account_id IN (SELECT DISTINCT p.account_id FROM pending_rollups p ORDER BY p.account_id LIMIT max_accounts)
      ORDER BY a.account_id FOR NO KEY UPDATE SKIP LOCKED) l;
    RETURN coalesce(ledger_roll_up_locked(locked), 0);
  END $$;

  REVOKE ALL ON FUNCTION ledger_roll_up_locked, ledger_roll_up FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION ledger_roll_up TO market_app;
`);

exports.down = (knex) => knex.raw('DROP FUNCTION ledger_roll_up, ledger_roll_up_locked;');
