-- Decides whether a mandate may pay for a call. Code is null when it may, else mandate_invalid or mandate_exceeded with
-- the reason: key_removed | content_changed | revoked | proof_used | per_call | budget | occurrences. left_units: what
-- is left of the budget. Among several reasons of mandate_exceeded, that of the first level applies. It writes nothing.
-- presented: {kid, proof_jti, levels: [{mandate_id, content_sha256, max_units, …}]}, root first.
-- Called by: mandate_verdict.
-- Locks: the mandates of the call, root first; the caller has locked the issuer's wallet.
CREATE OR REPLACE FUNCTION mandate_judge(issuer text, presented jsonb, price bigint, key text,
  OUT code text, OUT reason text, OUT left_units bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  level  record;
  known  mandates%ROWTYPE;
  budget bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM mandate_keys k WHERE k.user_id = issuer AND k.kid = presented ->> 'kid') THEN
    code := 'mandate_invalid'; reason := 'key_removed'; RETURN;
  END IF;
  FOR level IN SELECT * FROM jsonb_to_recordset(presented -> 'levels') AS (
    mandate_id text, content_sha256 text, max_units bigint, max_call_units bigint, max_occurrences integer)
  LOOP
    SELECT m.* INTO known FROM mandates m
      WHERE m.issuer_user_id = issuer AND m.mandate_id = level.mandate_id FOR NO KEY UPDATE;
    IF known.content_sha256 <> level.content_sha256 THEN
      code := 'mandate_invalid'; reason := 'content_changed'; RETURN;
    END IF;
    IF EXISTS (SELECT FROM mandate_revocations r
        WHERE r.issuer_user_id = issuer AND r.mandate_id = level.mandate_id) THEN
      code := 'mandate_invalid'; reason := 'revoked'; RETURN;
    END IF;
    budget := level.max_units - coalesce(known.reserved_units + known.spent_units, 0);
    IF reason IS NULL THEN
      reason := CASE WHEN price > level.max_call_units THEN 'per_call' WHEN price > budget THEN 'budget'
        WHEN coalesce(known.occurrences, 0) >= level.max_occurrences THEN 'occurrences' END;
      left_units := CASE WHEN reason = 'budget' THEN budget END;
    END IF;
  END LOOP;
  -- A proof is for one call. One that failed may run again under its key, as the rules of keys have it.
  IF EXISTS (SELECT FROM mandate_proofs p LEFT JOIN invocations i USING (invocation_id)
      WHERE p.issuer_user_id = issuer AND p.proof_jti = presented ->> 'proof_jti'
        AND p.mandate_id = presented -> 'levels' -> -1 ->> 'mandate_id'
        AND NOT coalesce(i.status = 'failed' AND i.idempotency_key = key, false)) THEN
    code := 'mandate_invalid'; reason := 'proof_used'; left_units := NULL; RETURN;
  END IF;
  code := CASE WHEN reason IS NOT NULL THEN 'mandate_exceeded' END;
END $$;

REVOKE ALL ON FUNCTION mandate_judge FROM PUBLIC, market_app;
