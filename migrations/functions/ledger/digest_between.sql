-- Folds the lines of transactions with ids from from_id up to, and without, until_id, in id order (digest_lines), and
-- counts them.
-- Called by: src/stores/ledger/ledger-digests.ts, src/stores/ledger/ledger-proofs-digests.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_between(from_id text, until_id text, start bytea,
  OUT transactions bigint, OUT entries bigint, OUT debits_units bigint, OUT credits_units bigint, OUT folded bytea)
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp SET TimeZone = 'UTC' AS $$
  SELECT count(*), coalesce(sum(l.entries), 0)::bigint, coalesce(sum(l.debits), 0)::bigint,
    coalesce(sum(l.credits), 0)::bigint, coalesce(digest_chain(l.line, start ORDER BY l.transaction_id), start)
  FROM digest_lines(from_id, until_id) l
$$;
