-- How many of the free calls that a version allows are unused when this many were used; null: none were. This is the only
-- place of that rule. It is inlined into the statement that reads or locks the counter.
-- Called by: free_calls_left, invocation_decide, src/stores/billing/free-calls.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION free_calls_unused(allowed integer, used integer) RETURNS integer
LANGUAGE sql IMMUTABLE
RETURN greatest(allowed - coalesce(used, 0), 0);

REVOKE ALL ON FUNCTION free_calls_unused FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION free_calls_unused TO market_app;
