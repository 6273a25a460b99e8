-- Returns null when a mandate may pay for this call, else the code of the refusal (mandate_invalid |
-- mandate_exceeded). It writes nothing. presented: {kid, proof_jti, levels: [{mandate_id, content_sha256, max_units,
-- …}]}, root first.
-- Called by: mandate_verdict.
-- Locks: the mandates of the call, root first; the caller has locked the issuer's wallet.
CREATE OR REPLACE FUNCTION mandate_judge(issuer text, presented jsonb, price bigint, key text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  level    record;
  known    mandates%ROWTYPE;
  exceeded boolean := false;
BEGIN
  IF NOT EXISTS (SELECT FROM mandate_keys k WHERE k.user_id = issuer AND k.kid = presented ->> 'kid') THEN
    RETURN 'mandate_invalid';
  END IF;
  FOR level IN SELECT * FROM jsonb_to_recordset(presented -> 'levels') AS (
    mandate_id text, content_sha256 text, max_units bigint, max_call_units bigint, max_occurrences integer)
  LOOP
    SELECT m.* INTO known FROM mandates m
      WHERE m.issuer_user_id = issuer AND m.mandate_id = level.mandate_id FOR NO KEY UPDATE;
    IF known.content_sha256 <> level.content_sha256 OR EXISTS (SELECT FROM mandate_revocations r
        WHERE r.issuer_user_id = issuer AND r.mandate_id = level.mandate_id) THEN
      RETURN 'mandate_invalid';
    END IF;
    exceeded := exceeded OR price > coalesce(level.max_call_units, price)
      OR coalesce(known.reserved_units + known.spent_units, 0) + price > level.max_units
      OR coalesce(coalesce(known.occurrences, 0) >= level.max_occurrences, false);
  END LOOP;
  -- A proof is for one call. One that failed may run again under its key, as the rules of keys have it.
  IF EXISTS (SELECT FROM mandate_proofs p LEFT JOIN invocations i USING (invocation_id)
      WHERE p.issuer_user_id = issuer AND p.proof_jti = presented ->> 'proof_jti'
        AND p.mandate_id = presented -> 'levels' -> -1 ->> 'mandate_id'
        AND NOT coalesce(i.status = 'failed' AND i.idempotency_key = key, false)) THEN
    RETURN 'mandate_invalid';
  END IF;
  RETURN CASE WHEN exceeded THEN 'mandate_exceeded' END;
END $$;

REVOKE ALL ON FUNCTION mandate_judge FROM PUBLIC, market_app;
