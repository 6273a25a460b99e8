-- Returns a text below all ids of this prefix that were made at or after a UTC day, and above all earlier ones: ids are
-- UUIDv7, whose first 12 hexadecimal digits are milliseconds.
-- Called by: ledger_entries_of, ledger_prove, month_detach, month_prepare, month_problems, partition_make, usage_parts,
-- src/stores/ledger/ledger-archives.ts, src/stores/ledger/ledger-proofs-counters.ts, src/stores/ledger/ledger-reads.ts,
-- src/stores/ledger/ledger-window.ts, src/stores/payouts/payout-statements.ts, src/stores/webhooks/webhook-history.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION partition_bound(prefix text, day date) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN prefix || '_' || lpad(to_hex((day - date '1970-01-01')::bigint * 86400000), 12, '0');
