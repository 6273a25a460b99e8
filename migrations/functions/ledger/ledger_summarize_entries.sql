-- Brings the index of block ranges over the transactions of entries up to date, so that reading a range of transactions
-- reads no blocks of others. Postgres does so too, some time after blocks were filled (autosummarize).
-- Called by: src/stores/ledger/ledger-digests.ts.
-- Locks: the partitions of entries, against other maintenance only.
CREATE OR REPLACE FUNCTION ledger_summarize_entries() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM brin_summarize_new_values(i.inhrelid) FROM pg_inherits i WHERE i.inhparent = 'entries_transaction'::regclass;
END $$;

REVOKE ALL ON FUNCTION ledger_summarize_entries FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_summarize_entries TO market_app;
