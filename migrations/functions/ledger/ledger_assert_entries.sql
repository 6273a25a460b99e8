-- Checks that the entries of each inserted transaction sum to zero and have different lines, and that those of a locked
-- account continue its chain: their versions are all different and without a gap, and the last one has the version and
-- the balance that the account has now. An account moves its version forward only (ledger_guard_account), so no version
-- comes twice. All entries of a transaction arrive in one statement, so the check holds for every way to insert them.
-- Called by: partition_finish, trigger entries_sum_to_zero on entries.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_assert_entries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE bad text;
BEGIN
  SELECT coalesce(
    (SELECT 'the entries of ' || e.transaction_id || ' do not sum to zero, or a line comes twice' FROM new_entries e
     GROUP BY e.transaction_id HAVING sum(e.amount_units) <> 0 OR count(DISTINCT e.line) <> count(*) LIMIT 1),
    (SELECT 'the entries of account ' || e.account_id || ' do not continue its chain'
     FROM new_entries e LEFT JOIN accounts a USING (account_id) WHERE e.account_version IS NOT NULL
     GROUP BY e.account_id, a.version, a.balance_units
     HAVING max(e.account_version) IS DISTINCT FROM a.version
       OR max(e.balance_after_units) FILTER (WHERE e.account_version = a.version) IS DISTINCT FROM a.balance_units
       OR count(DISTINCT e.account_version) <> count(*)
       OR max(e.account_version) - min(e.account_version) + 1 <> count(*) LIMIT 1)) INTO bad;
  IF bad IS NOT NULL THEN
    RAISE EXCEPTION '%', bad USING ERRCODE = '23514';
  END IF;
  RETURN NULL;
END $$;
