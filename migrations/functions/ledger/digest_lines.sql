-- The lines of a digest: one for each transaction with an id from from_id up to, and without, until_id. A line is a
-- JSON array of the transaction, followed by one array per entry. Columns that are added to transactions or entries
-- later belong into a new digest format. The caller sets the time zone to UTC.
-- Called by: digest_between, src/stores/ledger/ledger-archives.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_lines(from_id text, until_id text)
RETURNS TABLE (transaction_id text, line text, entries bigint, debits bigint, credits bigint) LANGUAGE sql STABLE AS $$
  SELECT t.transaction_id, json_build_array(t.transaction_id, t.kind, t.reference, t.invocation_id, t.agent_id,
      t.description, t.trace_id, t.created_at)::text || coalesce(l.lines, ''), coalesce(l.entries, 0),
    coalesce(l.debits, 0)::bigint, coalesce(l.credits, 0)::bigint
  FROM all_transactions t LEFT JOIN (
    SELECT e.transaction_id, count(*) AS entries, sum(least(e.amount_units, 0)) AS debits,
      sum(greatest(e.amount_units, 0)) AS credits,
      string_agg(json_build_array(e.line, e.entry_id, e.account_id, e.entry_type, e.amount_units,
        e.balance_before_units, e.balance_after_units, e.account_version, e.created_at)::text,
        '' ORDER BY e.line) AS lines
    FROM all_entries e WHERE e.transaction_id >= from_id AND e.transaction_id < until_id GROUP BY e.transaction_id
  ) l USING (transaction_id)
  WHERE t.transaction_id >= from_id AND t.transaction_id < until_id
$$;
