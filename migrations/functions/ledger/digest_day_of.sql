-- Returns the UTC day in which a transaction id was made, or null when it is no such id.
-- Called by: digest_next_day, src/stores/ledger/ledger-archives.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION digest_day_of(id text) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN id ~ '^txn_[0-9a-f]{32}$' THEN
  date '1970-01-01' + (('x' || substr(id, 5, 12))::bit(48)::bigint / 86400000)::integer END;
