-- The UTC month whose free calls are used now: its first day.
-- Called by: free_calls_left, invocation_admit, invocation_decide, invocation_lock_buyers, retention_purge,
-- src/stores/billing/free-calls.ts, src/stores/ledger/ledger-proofs-counters.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION free_calls_month() RETURNS date
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date
$$;

REVOKE ALL ON FUNCTION free_calls_month FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION free_calls_month TO market_app;
