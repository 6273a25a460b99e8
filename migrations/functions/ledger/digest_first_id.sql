-- Returns an id below all transaction ids of a UTC day and above all of the day before.
-- Called by: src/stores/ledger/ledger-archives.ts, src/stores/ledger/ledger-digests.ts,
-- src/stores/ledger/ledger-proofs-digests.ts, src/stores/market-log/market-log.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_first_id(day date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'txn_' || lpad(to_hex((day - date '1970-01-01')::bigint * 86400000), 12, '0') || repeat('0', 20);
