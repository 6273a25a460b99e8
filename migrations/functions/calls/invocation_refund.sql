-- Ends calls that failed: returns the hold to the buyer in full and writes the error code. Of a job that has reached
-- milestones, what they earned is captured, and the rest returned. A step that comes too late changes nothing and returns
-- the status that the row has.
-- Called by: invocation_cancel, invocation_sweep, src/stores/calls/invocations.ts.
-- Locks: those of invocation_lock_batch, then those of ledger_void or ledger_capture_one, then the counter of free calls and the mandates (by
-- triggers).
CREATE OR REPLACE FUNCTION invocation_refund(items jsonb)
RETURNS TABLE (ord integer, outcome text, status text, error_code text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  item   record;
  earned record;
BEGIN
  PERFORM invocation_lock_batch(ARRAY(SELECT e ->> 'invocation_id' FROM jsonb_array_elements(items) e));
  FOR item IN
    SELECT r.* FROM ROWS FROM (jsonb_to_recordset(items) AS (
      invocation_id text, error_code text, duration_ms integer)) WITH ORDINALITY AS r(
      invocation_id, error_code, duration_ms, n)
  LOOP
    ord := item.n;
    earned := invocation_earned(item.invocation_id);
    IF earned.units > 0 THEN
      outcome := (ledger_capture_one(item.invocation_id, earned.units,
        now() + earning_matures_ms(item.invocation_id, earned.terms) * interval '1 millisecond', NULL, NULL, true)).outcome;
    ELSE
      SELECT v.outcome INTO STRICT outcome FROM ledger_void(ARRAY[item.invocation_id], ARRAY[false]) v;
    END IF;
    IF outcome IN ('voided', 'captured', 'no_hold') THEN
      UPDATE invocations i SET status = 'failed', settled_at = now(), error_code = item.error_code,
          duration_ms = item.duration_ms, charged_units = earned.units
        WHERE i.invocation_id = item.invocation_id AND i.status IN ('pending', 'running');
      IF item.error_code = 'acceptance_failed' THEN PERFORM acceptance_judge(item.invocation_id, false); END IF;
      PERFORM invocation_tell(item.invocation_id);
    END IF;
    SELECT i.status, i.error_code INTO STRICT status, error_code FROM invocations i
      WHERE i.invocation_id = item.invocation_id;
    RETURN NEXT;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION invocation_refund FROM PUBLIC, market_app;
GRANT EXECUTE ON FUNCTION invocation_refund TO market_app;
