-- Returns the day to seal next: the day after the last digest, or the day of the first transaction. Null unless that
-- day ended at least five minutes before closed_by.
-- Called by: digest_guard, src/stores/ledger/ledger-digests.ts, src/stores/ledger/ledger-proofs-digests.ts,
-- src/stores/operations/money-watch.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_next_day(closed_by timestamptz) RETURNS date
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT n.day FROM (SELECT coalesce((SELECT max(d.day) + 1 FROM ledger_digests d),
    (SELECT digest_day_of(min(t.transaction_id)) FROM all_transactions t)) AS day) n
  WHERE (n.day + 1)::timestamp AT TIME ZONE 'UTC' + interval '5 minutes' <= closed_by
$$;
