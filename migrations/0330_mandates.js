/**
 * Mandates (docs/mandates.md): spend budgets that accounts sign for agents. A mandate gets its row when a call is
 * first accepted under it, keyed by its issuer and jti; a delegated one by a hash of what is above it and its jti.
 * Key rows are the accounts' own; the service's keys are elsewhere (0600).
 *
 * What a mandate has reserved and spent follows the rows of its calls, by trigger: whatever ends a call (capture,
 * refund, sweep, dispute) changes the budget of its mandates in the same transaction, and no path can forget it.
 *   pending, running: the price is reserved · succeeded: the charge is spent · failed, disputed: nothing of it
 * Rows are locked root first, after the wallet and the call; a wallet belongs to all mandates of one issuer.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE mandate_keys (
    user_id     text NOT NULL REFERENCES users,
    kid         text NOT NULL CHECK (kid ~ '^[A-Za-z0-9_-]{43}$'),
    public_jwk  jsonb NOT NULL,
    name        text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, kid)
  );
  COMMENT ON COLUMN mandate_keys.kid IS 'RFC 7638 thumbprint of the public key';

  CREATE TABLE mandates (
    issuer_user_id  text NOT NULL,
    mandate_id      text NOT NULL,
    seq             bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    jti             text NOT NULL,
    root_jti        text NOT NULL,
    parent_id       text,
    depth           integer NOT NULL CHECK (depth BETWEEN 1 AND 5),
    content_sha256  text NOT NULL,
    kid             text NOT NULL,
    subject         text NOT NULL,
    max_units       bigint NOT NULL CHECK (max_units > 0),
    max_call_units  bigint,
    max_occurrences integer,
    payees          text[],
    not_before      timestamptz,
    expires_at      timestamptz NOT NULL,
    reserved_units  bigint NOT NULL DEFAULT 0,
    spent_units     bigint NOT NULL DEFAULT 0,
    occurrences     integer NOT NULL DEFAULT 0,
    first_used_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer_user_id, mandate_id),
    FOREIGN KEY (issuer_user_id, parent_id) REFERENCES mandates,
    CONSTRAINT mandates_root CHECK ((parent_id IS NULL) = (depth = 1)),
    CONSTRAINT mandates_budget CHECK (reserved_units >= 0 AND spent_units >= 0
      AND reserved_units + spent_units <= max_units),
    CONSTRAINT mandates_occurrences CHECK (occurrences >= 0 AND occurrences <= max_occurrences)
  ) WITH (fillfactor = 70);
  COMMENT ON COLUMN mandates.mandate_id IS 'The jti of an account''s own; of a delegated one a name made of all above it';
  COMMENT ON COLUMN mandates.content_sha256 IS 'Of what was signed: one jti means one content, for ever';
  COMMENT ON COLUMN mandates.kid IS 'The key that signed it';

  -- A mandate may be revoked before it was ever used.
  CREATE TABLE mandate_revocations (
    issuer_user_id  text NOT NULL,
    mandate_id      text NOT NULL,
    revoked_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer_user_id, mandate_id)
  );

  CREATE TABLE mandate_proofs (
    issuer_user_id  text NOT NULL,
    mandate_id      text NOT NULL,
    proof_jti       text NOT NULL,
    invocation_id   text NOT NULL,
    PRIMARY KEY (issuer_user_id, mandate_id, proof_jti)
  );
  COMMENT ON TABLE mandate_proofs IS 'Used proofs and the call that each was used for; never deleted';

  ALTER TABLE invocations ADD COLUMN mandate_id text, ADD COLUMN caller_user_id text;
  COMMENT ON COLUMN invocations.mandate_id IS 'The mandate of the buyer under which the call was made';
  COMMENT ON COLUMN invocations.caller_user_id IS 'Who presented the mandate; the buyer is who pays';
  CREATE INDEX invocations_mandate ON invocations (buyer_user_id, mandate_id) WHERE mandate_id IS NOT NULL;

  CREATE FUNCTION mandate_follow_call() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DECLARE
    now_open   boolean := NEW.status IN ('pending', 'running');
    was_open   boolean := TG_OP = 'UPDATE' AND OLD.status IN ('pending', 'running');
    was_paid   boolean := TG_OP = 'UPDATE' AND OLD.status = 'succeeded';
    reserved   bigint := CASE WHEN now_open THEN NEW.price_units ELSE 0 END;
    spent      bigint := CASE WHEN NEW.status = 'succeeded' THEN NEW.charged_units ELSE 0 END;
    uses       integer := CASE WHEN now_open OR NEW.status = 'succeeded' THEN 1 ELSE 0 END;
    level_id   text := NEW.mandate_id;
    path       text[] := '{}';
  BEGIN
    IF was_open THEN reserved := reserved - OLD.price_units; END IF;
    IF was_paid THEN spent := spent - OLD.charged_units; END IF;
    IF was_open OR was_paid THEN uses := uses - 1; END IF;
    IF reserved = 0 AND spent = 0 AND uses = 0 THEN
      RETURN NULL;
    END IF;
    WHILE level_id IS NOT NULL LOOP
      path := level_id || path;
      SELECT m.parent_id INTO STRICT level_id FROM mandates m
        WHERE m.issuer_user_id = NEW.buyer_user_id AND m.mandate_id = level_id;
    END LOOP;
    FOREACH level_id IN ARRAY path LOOP
      UPDATE mandates m SET reserved_units = m.reserved_units + reserved, spent_units = m.spent_units + spent,
          occurrences = m.occurrences + uses
        WHERE m.issuer_user_id = NEW.buyer_user_id AND m.mandate_id = level_id;
    END LOOP;
    RETURN NULL;
  END $$;
  CREATE TRIGGER invocations_mandate_made AFTER INSERT ON invocations
    FOR EACH ROW WHEN (NEW.mandate_id IS NOT NULL) EXECUTE FUNCTION mandate_follow_call();
  CREATE TRIGGER invocations_mandate_moved AFTER UPDATE OF status ON invocations
    FOR EACH ROW WHEN (NEW.mandate_id IS NOT NULL AND NEW.status <> OLD.status) EXECUTE FUNCTION mandate_follow_call();

  -- Whether this mandate may pay for this call: NULL when it may, or the code of the refusal. Under the lock of the issuer's wallet; keeps its rows locked.
  -- presented: {kid, proof_jti, levels: [{mandate_id, content_sha256, max_units, …}]}, root first. Writes nothing.
  CREATE FUNCTION mandate_judge(issuer text, presented jsonb, price bigint, key text) RETURNS text
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

  -- Notes the mandates and the proof of a call that is being accepted; the row of the call then reserves.
  CREATE FUNCTION mandate_use(issuer text, presented jsonb, call_id text) RETURNS void
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

  REVOKE ALL ON FUNCTION mandate_judge, mandate_use, mandate_follow_call FROM PUBLIC;
  GRANT SELECT, INSERT, DELETE ON mandate_keys TO market_app;
  GRANT SELECT, INSERT ON mandate_revocations TO market_app;
  GRANT SELECT ON mandates, mandate_proofs TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TRIGGER invocations_mandate_moved ON invocations; DROP TRIGGER invocations_mandate_made ON invocations;
  DROP FUNCTION mandate_use, mandate_judge, mandate_follow_call;
  DROP INDEX invocations_mandate;
  ALTER TABLE invocations DROP COLUMN mandate_id, DROP COLUMN caller_user_id;
  DROP TABLE mandate_proofs; DROP TABLE mandate_revocations; DROP TABLE mandates; DROP TABLE mandate_keys;
`);
