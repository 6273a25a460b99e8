-- Notes whether the answer of a call passed the tests of its buyer. Does nothing for a call without tests.
-- Called by: invocation_refund, invocation_settle.
-- Locks: the row of the tests, which no other call locks.
CREATE OR REPLACE FUNCTION acceptance_judge(call_id text, has_passed boolean) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, public, pg_temp AS $$
  UPDATE call_acceptances a SET passed = has_passed, judged_at = now()
    WHERE a.invocation_id = call_id AND a.passed IS NULL
$$;

REVOKE ALL ON FUNCTION acceptance_judge FROM PUBLIC, market_app;
