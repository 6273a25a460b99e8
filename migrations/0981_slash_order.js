/** An order of a slash and its key in one statement; the service writes neither by itself. */
exports.up = (knex) =>
  knex.raw(`
  -- slash_apply, once for each key of an operator (null: no key). outcome: that of slash_apply, or replayed | key_reused
  -- (the key made another slash, by the same or by another request). made: the slash that there is now.
  CREATE OR REPLACE FUNCTION slash_order(
    key text, request_hash text, id text, operator text, agent text, units bigint, reason text,
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
      FROM slash_apply(id, operator, agent, units, reason, proof, calls, counter_ms, top_up_ms, trace, as_of) a;
    IF outcome = 'applied' THEN
      made := id;
    ELSE
      DELETE FROM slash_keys k WHERE k.slash_id = id;
    END IF;
  END $$;

  REVOKE ALL ON FUNCTION slash_order FROM PUBLIC;
  REVOKE ALL ON slash_keys FROM market_app;
  REVOKE ALL ON FUNCTION slash_apply FROM market_app;
  GRANT EXECUTE ON FUNCTION slash_order TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP FUNCTION slash_order;
  GRANT SELECT, INSERT ON slash_keys TO market_app;
  GRANT EXECUTE ON FUNCTION slash_apply TO market_app;
`);
