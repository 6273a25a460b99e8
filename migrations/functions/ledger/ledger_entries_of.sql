-- The newest entries of an account before an entry, newest first. It reads this month and the month before it, and all
-- months only when these two do not have enough, so that a page of a busy account costs the same after years. It always
-- follows the index: the planner, which expects few entries of an account, would rather sort all of them.
-- Called by: src/stores/ledger/ledger-reads.ts, src/stores/operations/whereabouts.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION ledger_entries_of(account bigint, before bigint, most integer) RETURNS SETOF entries
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off AS $$
DECLARE
  month  date := date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date;
  since  date := (month - interval '1 month')::date;
  places text;
  recent entries[];
BEGIN
  SELECT string_agg(format('(SELECT e.* FROM months.%I e WHERE e.account_id = $1 AND e.entry_id < $2
      AND e.transaction_id >= $4 ORDER BY e.entry_id DESC LIMIT $3)', p.place), ' UNION ALL ') INTO places
    FROM unnest(ARRAY['entries_default', 'entries' || to_char(month, '_YYYY_MM'), 'entries' || to_char(since, '_YYYY_MM')])
      p(place) WHERE to_regclass('months.' || p.place) IS NOT NULL;
  EXECUTE format('SELECT array_agg(r.*::entries) FROM (SELECT * FROM (%s) u ORDER BY entry_id DESC LIMIT $3) r', places)
    INTO recent USING account, before, most, partition_bound('txn', since);
  -- The order of entries and that of their transactions may differ by moments, so the first day decides nothing.
  IF cardinality(recent) >= most AND recent[most].transaction_id >= partition_bound('txn', since + 1) THEN
    RETURN QUERY SELECT * FROM unnest(recent);
  ELSE
    RETURN QUERY SELECT e.* FROM all_entries e WHERE e.account_id = account AND e.entry_id < before
      ORDER BY e.entry_id DESC LIMIT most;
  END IF;
END $$;

REVOKE ALL ON FUNCTION ledger_entries_of FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION ledger_entries_of TO market_app;
