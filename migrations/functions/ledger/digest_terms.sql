-- Returns what is signed and chained of a digest, as canonical JSON (RFC 8785). src/domain/ledger/ledger-digest.ts
-- builds the same text.
-- Called by: digest_guard, src/stores/ledger/ledger-proofs-digests.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_terms(d ledger_digests) RETURNS text LANGUAGE sql STABLE
RETURN format('{"credits_units":%s,"day":"%s","debits_units":%s,"entries":%s,"entries_sha256":"%s","format":%s,'
  || '"previous_sha256":"%s","transactions":%s}', d.credits_units, to_char(d.day, 'YYYY-MM-DD'), d.debits_units,
  d.entries, d.entries_sha256, d.format, d.previous_sha256, d.transactions);
