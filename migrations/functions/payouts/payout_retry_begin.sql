-- Opens the run that pays a developer again for the Monday of a failed or rolled-over payout. Its attempt is the first
-- unused one of that Monday. Returns the attempt, or that of the run or payout that is in the way.
-- Outcomes: begun | wrong_state | running | repeated.
-- Called by: src/stores/payouts/payout-run-rows.ts.
-- Locks: the advisory lock of the Monday.
CREATE OR REPLACE FUNCTION payout_retry_begin(of_payout_id text, OUT outcome text, OUT attempt_no integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  old payouts%ROWTYPE;
BEGIN
  SELECT p.* INTO STRICT old FROM payouts p WHERE p.payout_id = of_payout_id;
  PERFORM pg_advisory_xact_lock(hashtextextended('payout_runs/' || extract(epoch FROM old.as_of), 92));
  IF old.status NOT IN ('failed', 'rolled_over') THEN
    outcome := 'wrong_state';
    RETURN;
  END IF;
  SELECT 'running', r.attempt INTO outcome, attempt_no FROM payout_runs r
    WHERE r.as_of = old.as_of AND r.developer_user_id = old.developer_user_id AND r.ended_at IS NULL
    ORDER BY r.attempt DESC LIMIT 1;
  IF outcome IS NULL THEN
    SELECT 'repeated', p.attempt INTO outcome, attempt_no FROM payouts p
      WHERE p.developer_user_id = old.developer_user_id AND p.as_of = old.as_of AND p.pay_to = old.pay_to
        AND p.attempt > old.attempt ORDER BY p.attempt DESC LIMIT 1;
  END IF;
  IF outcome IS NULL THEN
    outcome := 'begun';
    attempt_no := 1 + greatest(
      (SELECT max(p.attempt) FROM payouts p WHERE p.as_of = old.as_of),
      (SELECT max(r.attempt) FROM payout_runs r WHERE r.as_of = old.as_of));
    INSERT INTO payout_runs (as_of, attempt, developer_user_id)
    VALUES (old.as_of, attempt_no, old.developer_user_id);
  END IF;
END $$;

REVOKE ALL ON FUNCTION payout_retry_begin FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION payout_retry_begin TO market_app;
