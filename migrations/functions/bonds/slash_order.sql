-- Runs slash_apply once for each idempotency key of an operator (null: no key). Outcomes: those of slash_apply, or
-- replayed | key_reused, when the key already made a slash by the same or by another request. `made` is that slash.
-- Called by: src/stores/bonds/slashes.ts.
-- Locks: the key, by its unique insert, then those of slash_apply.
CREATE OR REPLACE FUNCTION slash_order(
  key text, request_hash text, id text, operator text, agent text, units bigint, to_whom text, reason text,
  proof jsonb, calls text[], counter_ms bigint, top_up_ms bigint, trace text, as_of timestamptz,
  OUT outcome text, OUT unknown text[], OUT made text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE earlier slash_keys%ROWTYPE;
BEGIN
  IF key IS NOT NULL THEN
    INSERT INTO slash_keys (operator_user_id, idempotency_key, request_sha256, slash_id)
      VALUES (operator, key, request_hash, id) ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      SELECT * INTO STRICT earlier FROM slash_keys k WHERE k.operator_user_id = operator AND k.idempotency_key = key;
      outcome := CASE WHEN earlier.request_sha256 = request_hash THEN 'replayed' ELSE 'key_reused' END;
      made := earlier.slash_id;
      RETURN;
    END IF;
  END IF;
  SELECT a.outcome, a.unknown INTO outcome, unknown
    FROM slash_apply(id, operator, agent, units, to_whom, reason, proof, calls, counter_ms, top_up_ms, trace, as_of) a;
  IF outcome = 'applied' THEN
    made := id;
  ELSE
    DELETE FROM slash_keys k WHERE k.slash_id = id;
  END IF;
END $$;

REVOKE ALL ON FUNCTION slash_order FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION slash_order TO market_app;
