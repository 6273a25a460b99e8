-- Records that a workflow carries out a run. A run that had ended is open again.
-- Called by: src/stores/payouts/payout-run-rows.ts.
-- Locks: the run.
CREATE OR REPLACE FUNCTION payout_run_begin(
  monday timestamptz, attempt_no integer, of_developer text, by_workflow text
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  INSERT INTO payout_runs (as_of, attempt, developer_user_id, workflow_id)
  VALUES (monday, attempt_no, of_developer, by_workflow)
  ON CONFLICT (as_of, attempt) DO UPDATE SET workflow_id = excluded.workflow_id, begun_at = now(), ended_at = NULL
$$;

REVOKE ALL ON FUNCTION payout_run_begin FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_run_begin TO market_app;
