-- Records that a run has done all its steps.
-- Called by: src/stores/payouts/payout-run-rows.ts.
-- Locks: the run.
CREATE OR REPLACE FUNCTION payout_run_end(monday timestamptz, attempt_no integer) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE payout_runs r SET ended_at = now() WHERE r.as_of = monday AND r.attempt = attempt_no AND r.ended_at IS NULL
$$;

REVOKE ALL ON FUNCTION payout_run_end FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_run_end TO market_app;
