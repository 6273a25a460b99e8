-- Adds what waits in pending_rollups to the hot accounts. Any process may call it at any time: it skips accounts that
-- another transaction is rolling up or debiting, and captures never wait for it.
-- Called by: src/stores/ledger/ledger-moves.ts.
-- Locks: the account of fees (4) and the accounts with waiting rows, in id order, skipping locked ones.
CREATE OR REPLACE FUNCTION ledger_roll_up(max_accounts integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE locked bigint[];
BEGIN
  SELECT array_agg(l.account_id) INTO locked FROM (
    SELECT a.account_id FROM accounts a
    WHERE a.account_id = 4 OR a.account_id IN (SELECT DISTINCT p.account_id FROM pending_rollups p ORDER BY p.account_id LIMIT max_accounts)
    ORDER BY a.account_id FOR NO KEY UPDATE SKIP LOCKED) l;
  RETURN coalesce(ledger_roll_up_locked(locked), 0);
END $$;

REVOKE ALL ON FUNCTION ledger_roll_up FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_roll_up TO market_app;
