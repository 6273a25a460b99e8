-- Turns the verdict about a call into the verdict under its mandate, with the reason and what is left of the budget
-- (mandate_judge). mandate_may_join decides whether the call joins an earlier one. A refusal by the mandate comes
-- before what the wallet lacks.
-- Called by: invocation_admit.
-- Locks: those of mandate_judge.
CREATE OR REPLACE FUNCTION mandate_verdict(
  verdict text, earlier_id text, issuer text, presented jsonb, price bigint, key text,
  OUT outcome text, OUT reason text, OUT left_units bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  outcome := verdict;
  IF verdict IN ('attach', 'replay', 'already_disputed') THEN
    IF NOT mandate_may_join(earlier_id, presented) THEN outcome := 'idempotency_key_reused'; END IF;
  ELSIF verdict IN ('accepted', 'insufficient_credits', 'credit_cap_exceeded') THEN
    SELECT coalesce(j.code, verdict), j.reason, j.left_units INTO outcome, reason, left_units
      FROM mandate_judge(issuer, presented, price, key) j;
  END IF;
END $$;

REVOKE ALL ON FUNCTION mandate_verdict FROM PUBLIC, market_app;
