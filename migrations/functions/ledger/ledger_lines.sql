-- The entries of a transaction, in the order of their lines. They are found by the accounts that the transaction names;
-- those of earlier releases, which name none, by an index of block ranges, which costs some milliseconds.
-- Called by: src/stores/bonds/bonds.ts, src/stores/ledger/ledger-reads.ts, src/stores/ledger/ledger-window.ts,
-- src/stores/operations/overview.ts, src/stores/operations/subjects.ts, src/stores/operations/whereabouts.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_lines(id text) RETURNS SETOF entries
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET enable_seqscan = off AS $$
DECLARE posted record;
BEGIN
  SELECT t.account_ids, t.first_entry_id, t.last_entry_id INTO posted FROM all_transactions t WHERE t.transaction_id = id;
  IF posted.account_ids IS NULL THEN
    RETURN QUERY SELECT e.* FROM all_entries e WHERE e.transaction_id = id ORDER BY e.line;
  ELSE
    RETURN QUERY SELECT e.* FROM (SELECT DISTINCT u.id FROM unnest(posted.account_ids) u(id)) a(account_id), LATERAL (SELECT * FROM all_entries n
        WHERE n.account_id = a.account_id AND n.entry_id >= posted.first_entry_id AND n.entry_id <= posted.last_entry_id
          AND n.transaction_id = id OFFSET 0) e
      ORDER BY e.line;
  END IF;
END $$;

REVOKE ALL ON FUNCTION ledger_lines FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_lines TO market_app;
