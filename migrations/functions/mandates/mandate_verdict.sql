-- Turns the verdict about a call into the verdict under its mandate. mandate_may_join decides whether the call joins an
-- earlier one. A refusal by the mandate comes before what the wallet lacks.
-- Called by: invocation_accept.
-- Locks: those of mandate_judge.
CREATE OR REPLACE FUNCTION mandate_verdict(
  verdict text, earlier_id text, issuer text, presented jsonb, price bigint, key text
) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF verdict IN ('attach', 'replay', 'already_disputed') THEN
    RETURN CASE WHEN mandate_may_join(earlier_id, presented) THEN verdict ELSE 'idempotency_key_reused' END;
  ELSIF verdict IN ('accepted', 'insufficient_credits', 'credit_cap_exceeded') THEN
    RETURN coalesce(mandate_judge(issuer, presented, price, key), verdict);
  END IF;
  RETURN verdict;
END $$;

REVOKE ALL ON FUNCTION mandate_verdict FROM PUBLIC, market_app;
