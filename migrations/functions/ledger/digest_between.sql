-- Folds the transactions with ids from from_id up to, and without, until_id, in id order, and counts them. Each
-- transaction is one line: a JSON array of the transaction, followed by one array per entry. Columns that are added to
-- transactions or entries later belong into a new digest format.
-- Called by: src/stores/ledger/ledger-digests.ts, src/stores/ledger/ledger-proofs-digests.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_between(from_id text, until_id text, start bytea,
  OUT transactions bigint, OUT entries bigint, OUT debits_units bigint, OUT credits_units bigint, OUT folded bytea)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp SET TimeZone = 'UTC' AS $$
  SELECT count(*), coalesce(sum(l.entries), 0)::bigint, coalesce(sum(l.debits), 0)::bigint,
    coalesce(sum(l.credits), 0)::bigint,
    coalesce(digest_chain(json_build_array(t.transaction_id, t.kind, t.reference, t.invocation_id, t.agent_id,
      t.description, t.trace_id, t.created_at)::text || coalesce(l.lines, ''), start ORDER BY t.transaction_id), start)
  FROM transactions t LEFT JOIN (
    SELECT e.transaction_id, count(*) AS entries, sum(least(e.amount_units, 0)) AS debits,
      sum(greatest(e.amount_units, 0)) AS credits,
      string_agg(json_build_array(e.line, e.entry_id, e.account_id, e.entry_type, e.amount_units,
        e.balance_before_units, e.balance_after_units, e.account_version, e.created_at)::text,
        '' ORDER BY e.line) AS lines
    FROM entries e WHERE e.transaction_id >= from_id AND e.transaction_id < until_id GROUP BY e.transaction_id
  ) l USING (transaction_id)
  WHERE t.transaction_id >= from_id AND t.transaction_id < until_id
$$;
