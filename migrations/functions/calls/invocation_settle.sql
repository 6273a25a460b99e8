-- Ends calls that succeeded: captures the charge, pays the developer and keeps the answer, in one transaction. A
-- streamed answer that was cut off has truncated_by and is charged as far as it was delivered. A step that comes too
-- late changes nothing and returns the status that the row has.
-- Called by: src/stores/calls/invocations.ts.
-- Locks: those of invocation_lock_batch, then those of ledger_capture, then the mandates and the API key (by
-- triggers).
CREATE OR REPLACE FUNCTION invocation_settle(items jsonb)
RETURNS TABLE (ord integer, outcome text, status text, error_code text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE item record;
BEGIN
  PERFORM invocation_lock_batch(ARRAY(SELECT e ->> 'invocation_id' FROM jsonb_array_elements(items) e));
  FOR item IN
    SELECT r.* FROM ROWS FROM (jsonb_to_recordset(items) AS (
      invocation_id text, charged_units bigint, output_sha256 text, tokens_in integer, tokens_out integer,
      duration_ms integer, answer text, answer_ttl_ms bigint, matures_after_ms bigint, truncated_by text)) WITH ORDINALITY AS r(
      invocation_id, charged_units, output_sha256, tokens_in, tokens_out, duration_ms, answer, answer_ttl_ms,
      matures_after_ms, truncated_by, n)
  LOOP
    ord := item.n;
    SELECT c.outcome INTO STRICT outcome FROM ledger_capture(ARRAY[item.invocation_id], ARRAY[item.charged_units],
      ARRAY[now() + item.matures_after_ms * interval '1 millisecond']) c;
    IF outcome = 'captured' THEN
      UPDATE invocations i SET status = 'succeeded', settled_at = now(), charged_units = item.charged_units,
          output_sha256 = item.output_sha256, tokens_in = item.tokens_in, tokens_out = item.tokens_out,
          duration_ms = item.duration_ms, truncated_by = item.truncated_by
        WHERE i.invocation_id = item.invocation_id;
      IF item.answer IS NOT NULL THEN
        INSERT INTO invocation_answers (invocation_id, answer, expires_at)
        VALUES (item.invocation_id, decode(item.answer, 'base64'),
          now() + item.answer_ttl_ms * interval '1 millisecond');
      END IF;
      PERFORM invocation_tell(item.invocation_id);
    END IF;
    SELECT i.status, i.error_code INTO STRICT status, error_code FROM invocations i
      WHERE i.invocation_id = item.invocation_id;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_settle FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_settle TO market_app;
