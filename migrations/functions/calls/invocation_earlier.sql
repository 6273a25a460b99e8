-- The verdict about a call whose idempotency key may belong to an earlier call of the same buyer. A failed call leaves
-- its key free. earlier_id and outcome are null when the key is free or null. presented is the mandate of the new call,
-- or null; accept_hash is the hash of its tests, or null.
-- Outcomes: attach | replay | already_disputed | idempotency_key_reused.
-- Called by: invocation_decide, src/stores/calls/invocations.ts.
-- Locks: none.
CREATE OR REPLACE FUNCTION invocation_earlier(
  buyer text, key text, agent text, input_hash text, presented jsonb, accept_hash text, OUT earlier_id text, OUT outcome text
) LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  earlier record;
  holder text;
BEGIN
  IF key IS NULL THEN RETURN; END IF;
  SELECT k.invocation_id INTO holder FROM invocation_keys k
    WHERE k.buyer_user_id = buyer AND k.idempotency_key = key;
  IF NOT FOUND THEN RETURN; END IF;
  SELECT i.invocation_id, i.agent_id, i.input_sha256, i.status INTO earlier FROM all_invocations i
    WHERE i.invocation_id = holder;
  earlier_id := earlier.invocation_id;
  outcome := CASE
    WHEN earlier.agent_id <> agent OR earlier.input_sha256 <> input_hash THEN 'idempotency_key_reused'
    WHEN accept_hash IS DISTINCT FROM (SELECT c.sha256 FROM call_acceptances c WHERE c.invocation_id = holder)
      THEN 'idempotency_key_reused'
    WHEN NOT mandate_may_join(earlier.invocation_id, presented) THEN 'idempotency_key_reused'
    WHEN earlier.status = 'disputed' THEN 'already_disputed'
    WHEN earlier.status = 'succeeded' THEN 'replay'
    ELSE 'attach' END;
END $$;

REVOKE ALL ON FUNCTION invocation_earlier FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_earlier TO market_app;
