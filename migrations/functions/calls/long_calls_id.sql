-- The lowest id of a call at a time, in ms since 1970.
-- Called by: holds_to_sweep, invocation_admit, invocation_decide, ledger_hold, long_calls_find, warranty_decide.
-- Locks: none.
CREATE OR REPLACE FUNCTION long_calls_id(ms bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'inv_' || lpad(to_hex(greatest(ms, 0)), 12, '0');
