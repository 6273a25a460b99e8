-- Writes the mandates and the proof of a call that is being accepted. The row of the call then reserves the price.
-- Called by: invocation_admit.
-- Locks: the rows that it inserts; the caller has locked the issuer's wallet.
CREATE OR REPLACE FUNCTION mandate_use(issuer text, presented jsonb, call_id text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO mandates (issuer_user_id, mandate_id, jti, root_jti, parent_id, depth, content_sha256, kid, subject,
    max_units, max_call_units, max_occurrences, payees, not_before, expires_at)
  SELECT issuer, l.mandate_id, l.jti, presented -> 'levels' -> 0 ->> 'jti', l.parent_id, l.depth, l.content_sha256,
    l.kid, l.subject, l.max_units, l.max_call_units, l.max_occurrences, l.payees, l.not_before, l.expires_at
  FROM jsonb_to_recordset(presented -> 'levels') AS l (
    mandate_id text, jti text, parent_id text, depth integer, content_sha256 text, kid text, subject text,
    max_units bigint, max_call_units bigint, max_occurrences integer, payees text[], not_before timestamptz,
    expires_at timestamptz)
  ORDER BY l.depth ON CONFLICT DO NOTHING;
  IF presented ->> 'proof_jti' IS NOT NULL THEN
    INSERT INTO mandate_proofs (issuer_user_id, mandate_id, proof_jti, invocation_id)
    VALUES (issuer, presented -> 'levels' -> -1 ->> 'mandate_id', presented ->> 'proof_jti', call_id)
    ON CONFLICT (issuer_user_id, mandate_id, proof_jti) DO UPDATE SET invocation_id = excluded.invocation_id;
  END IF;
END $$;

REVOKE ALL ON FUNCTION mandate_use FROM PUBLIC, market_app;
