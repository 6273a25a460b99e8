/**
 * Rubrics, what they made of the evidence of runs, and how agents stand because of it (docs/verification.md).
 *
 * A rubric whose weights differ from those in effect takes effect 30 days after it was published at the earliest: a
 * check of the table, so nobody gets around it. Weights are all of the document but its name and its texts.
 *
 * How an agent stands (score, badge, listed, reasons) is derived in one function, `agent_standing_refresh`: whoever
 * changes what it depends on calls it in the same transaction.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE rubrics (
    version          text PRIMARY KEY CHECK (version ~ '^[0-9]{4}[.][1-9][0-9]{0,3}$'),
    sequence         bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    document         text NOT NULL,
    changelog        text NOT NULL,
    weights_changed  boolean NOT NULL,
    published_at     timestamptz NOT NULL DEFAULT now(),
    comment_ends_at  timestamptz NOT NULL,
    effective_at     timestamptz,
    rolled_out_at    timestamptz,
    withdrawn_at     timestamptz,
    CONSTRAINT rubric_comment_period CHECK
      (NOT weights_changed OR comment_ends_at >= published_at + interval '30 days'),
    CONSTRAINT rubric_effective_after_comments CHECK (effective_at IS NULL OR effective_at >= comment_ends_at)
  );
  COMMENT ON COLUMN rubrics.effective_at IS 'Written by the workflow that waited, by its clock; null: announced only';
  COMMENT ON COLUMN rubrics.document IS 'Canonical JSON (src/domain/verification/rubric.ts)';

  CREATE TABLE trust_reports (
    run_id                text PRIMARY KEY REFERENCES verification_runs,
    sequence              bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    agent_id              text NOT NULL REFERENCES agents,
    version_id            text NOT NULL REFERENCES agent_versions,
    rubric_version        text NOT NULL REFERENCES rubrics,
    evidence_sha256       text NOT NULL,
    judgement             text NOT NULL,
    score                 integer NOT NULL CHECK (score BETWEEN 0 AND 100),
    earned_badge          text CHECK (earned_badge IN ('basic', 'standard', 'premium')),
    badge                 text CHECK (badge IN ('basic', 'standard', 'premium')),
    has_critical          boolean NOT NULL,
    counts                boolean NOT NULL,
    verified_at           timestamptz NOT NULL DEFAULT now(),
    next_verification_at  timestamptz NOT NULL,
    CHECK (NOT has_critical OR earned_badge IS NULL)
  );
  COMMENT ON COLUMN trust_reports.judgement IS
    'Canonical JSON of what the rubric made of the evidence; the same again gives the same bytes';
  COMMENT ON COLUMN trust_reports.earned_badge IS 'By the rubric alone; badge: capped by the bond at that time';
  COMMENT ON COLUMN trust_reports.counts IS 'Of the version that serves; others are for the owner only';
  CREATE INDEX trust_reports_counting ON trust_reports (agent_id, sequence DESC) WHERE counts;
  CREATE INDEX trust_reports_agent ON trust_reports (agent_id, sequence DESC);

  CREATE TABLE findings (
    finding_id       text PRIMARY KEY CHECK (finding_id ~ '^fnd_[0-9a-f]{32}$'),
    agent_id         text NOT NULL REFERENCES agents,
    line             text NOT NULL CHECK (line IN ('serving', 'candidate')),
    fingerprint      text NOT NULL,
    stage            text NOT NULL CHECK (stage IN ('static_analysis', 'supply_chain', 'dynamic_testing', 'red_team')),
    severity         text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low', 'info')),
    category         text NOT NULL,
    description      text NOT NULL,
    remediation      text NOT NULL,
    status           text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'acknowledged', 'resolved')),
    first_run_id     text NOT NULL REFERENCES verification_runs,
    last_run_id      text NOT NULL REFERENCES verification_runs,
    first_seen_at    timestamptz NOT NULL DEFAULT now(),
    status_since     timestamptz NOT NULL DEFAULT now(),
    times_reopened   integer NOT NULL DEFAULT 0,
    UNIQUE (agent_id, line, fingerprint)
  );
  COMMENT ON COLUMN findings.line IS
    'serving: of the version that serves; candidate: of versions that were rejected';

  -- Mirrors FINDING_TRANSITIONS of src/domain/verification/finding.ts.
  CREATE FUNCTION finding_status_moves() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.status <> OLD.status AND (OLD.status || '>' || NEW.status) <> ALL (ARRAY[
        'open>acknowledged', 'open>resolved', 'acknowledged>resolved', 'resolved>open']) THEN
      RAISE EXCEPTION 'a finding cannot go from % to %', OLD.status, NEW.status USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER finding_status_moves BEFORE UPDATE OF status ON findings
    FOR EACH ROW EXECUTE FUNCTION finding_status_moves();

  CREATE TABLE agent_hidden_reasons (
    agent_id  text NOT NULL REFERENCES agents,
    code      text NOT NULL CHECK (code IN ('critical_finding', 'bond_shortfall')),
    since     timestamptz NOT NULL DEFAULT now(),
    deadline  timestamptz,
    hides     boolean NOT NULL,
    PRIMARY KEY (agent_id, code)
  );
  COMMENT ON COLUMN agent_hidden_reasons.hides IS 'False: only announced; the agent is hidden after the deadline';

  CREATE TABLE listing_changes (
    change_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent_id     text NOT NULL REFERENCES agents,
    badge        text,
    trust_score  integer,
    listed       boolean NOT NULL,
    was_listed   boolean NOT NULL,
    at           timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX listing_changes_agent ON listing_changes (agent_id, change_id DESC);

  GRANT SELECT ON rubrics, agent_hidden_reasons, listing_changes TO market_app;
  GRANT SELECT, INSERT ON trust_reports TO market_app;
  GRANT SELECT, INSERT, UPDATE ON findings TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TABLE listing_changes, agent_hidden_reasons, findings, trust_reports, rubrics;
  DROP FUNCTION finding_status_moves();
`);
