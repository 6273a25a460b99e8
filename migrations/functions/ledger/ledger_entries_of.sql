-- The newest entries of an account before an entry, newest first. It always follows the index: the planner, which expects
-- few entries of an account, would rather sort all of them.
-- Called by: src/stores/ledger/ledger-reads.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_entries_of(account bigint, before bigint, most integer) RETURNS SETOF entries
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp
SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off AS $$
BEGIN
  RETURN QUERY SELECT e.* FROM entries e WHERE e.account_id = account AND e.entry_id < before
    ORDER BY e.entry_id DESC LIMIT most;
END $$;

REVOKE ALL ON FUNCTION ledger_entries_of FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_entries_of TO market_app;
