-- Erases what an account gave its calls, and what is stored of their inputs and outputs. Amounts, times, agents and
-- digests of calls stay.
-- Called by: account_erase.
-- Locks: the rows that it changes.
CREATE OR REPLACE FUNCTION account_erase_calls(owner_id text, ids text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM kept_bodies k WHERE k.invocation_id = ANY (ids) AND k.buyer_user_id = owner_id;
  DELETE FROM invocation_answers a WHERE a.invocation_id = ANY (ids);
  DELETE FROM job_ends j WHERE j.invocation_id = ANY (ids);
  DELETE FROM job_questions q WHERE q.invocation_id = ANY (ids);
  UPDATE job_pieces p SET body = NULL WHERE p.invocation_id = ANY (ids) AND p.body IS NOT NULL;
  UPDATE jobs j SET location = NULL, message = NULL
   WHERE j.invocation_id = ANY (ids) AND (j.location IS NOT NULL OR j.message IS NOT NULL);
  UPDATE call_failures f SET problem = NULL, schema_path = NULL
   WHERE f.invocation_id = ANY (ids) AND (f.problem IS NOT NULL OR f.schema_path IS NOT NULL);
  DELETE FROM call_tags t USING all_invocations i
   WHERE i.invocation_id = ANY (ids) AND i.metadata IS NOT NULL AND t.buyer_user_id = owner_id
     AND t.tag = ANY (ARRAY(SELECT key || '=' || value FROM jsonb_each_text(i.metadata)))
     AND t.invocation_id = i.invocation_id;
  DELETE FROM invocation_keys k USING all_invocations i
   WHERE i.invocation_id = ANY (ids) AND i.idempotency_key IS NOT NULL AND k.buyer_user_id = owner_id
     AND k.idempotency_key = i.idempotency_key;
  UPDATE invocations i SET metadata = NULL, idempotency_key = NULL
   WHERE i.invocation_id = ANY (ids) AND (i.metadata IS NOT NULL OR i.idempotency_key IS NOT NULL);
  UPDATE archive.invocations i SET metadata = NULL, idempotency_key = NULL
   WHERE i.invocation_id = ANY (ids) AND (i.metadata IS NOT NULL OR i.idempotency_key IS NOT NULL);
  DELETE FROM stored_bytes s WHERE s.user_id IN (owner_id, owner_id || '/kept');
END $$;

REVOKE ALL ON FUNCTION account_erase_calls FROM PUBLIC, market_app;
