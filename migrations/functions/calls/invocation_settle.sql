-- Ends calls that succeeded: captures the charge, pays the developer and keeps the answer, in one transaction. A
-- streamed answer that was cut off has truncated_by and is charged as far as it was delivered. A step that comes too
-- late changes nothing and returns the status that the row has. An answer is not kept when the buyer has as many bytes
-- stored as answer_quota; null: no quota.
-- Each item also has the terms of earning_matures_ms. accepted of item: the answer passed the tests of its buyer.
-- Called by: src/stores/calls/call-batches.ts.
-- Locks: for more than one call those of invocation_lock_batch; then the invocation and those of ledger_capture_one,
-- then the mandates and the API key (by triggers), and for an answer the buyer's stored bytes.
CREATE OR REPLACE FUNCTION invocation_settle(items jsonb)
RETURNS TABLE (ord integer, outcome text, status text, error_code text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  item       jsonb;
  id         text;
  called_at  timestamptz;
  is_awaited boolean;
  buyer      text;
  is_free    boolean;
  is_job     boolean;
  answer     bytea;
  expires    timestamptz;
  matures_ms bigint;
BEGIN
  IF jsonb_array_length(items) > 1 THEN
    PERFORM invocation_lock_batch(ARRAY(SELECT e ->> 'invocation_id' FROM jsonb_array_elements(items) e));
  END IF;
  FOR ord IN 1 .. jsonb_array_length(items) LOOP
    item := items -> ord - 1;
    id := item ->> 'invocation_id';
    SELECT i.status, i.error_code, i.invoked_at, i.buyer_user_id, i.price_units = 0, i.is_task
      INTO STRICT status, error_code, called_at, buyer, is_free, is_job FROM invocations i
      WHERE i.invocation_id = id FOR NO KEY UPDATE;
    IF is_job THEN is_job := EXISTS (SELECT FROM jobs j WHERE j.invocation_id = id); END IF;
    matures_ms := (item ->> 'matures_after_ms')::bigint;
    IF item ->> 'new_pair_ms' IS NOT NULL AND (item ->> 'charged_units')::bigint > 0 THEN
      matures_ms := earning_matures_ms(id, item);
    END IF;
    outcome := (ledger_capture_one(id, (item ->> 'charged_units')::bigint,
      now() + matures_ms * interval '1 millisecond', called_at,
      (item ->> 'duration_ms')::integer, is_job)).outcome;
    IF outcome = 'captured' THEN
      status := 'succeeded';
      UPDATE invocations i SET status = 'succeeded', settled_at = now(),
          charged_units = (item ->> 'charged_units')::bigint, output_sha256 = item ->> 'output_sha256',
          output_bytes = (item ->> 'output_bytes')::integer,
          tokens_in = (item ->> 'tokens_in')::integer, tokens_out = (item ->> 'tokens_out')::integer,
          duration_ms = (item ->> 'duration_ms')::integer, truncated_by = item ->> 'truncated_by'
        WHERE i.invocation_id = id
        RETURNING EXISTS (SELECT FROM invocation_waiters w WHERE w.invocation_id = id) INTO is_awaited;
      IF item ->> 'answer' IS NOT NULL THEN
        answer := decode(item ->> 'answer', 'base64');
        expires := now() + (item ->> 'answer_ttl_ms')::bigint * interval '1 millisecond';
        IF stored_bytes_keep(buyer, is_free, length(answer), expires, (item ->> 'answer_quota')::bigint) THEN
          INSERT INTO invocation_answers (invocation_id, answer, expires_at) VALUES (id, answer, expires);
        END IF;
      END IF;
      IF item ? 'accepted' THEN PERFORM acceptance_judge(id, true); END IF;
      IF is_awaited THEN PERFORM invocation_tell(id); END IF;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_settle FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_settle TO market_app;
