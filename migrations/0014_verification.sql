-- The verification pipeline: rubrics, runs with their evidence, trust reports, findings and advisories
-- (docs/verification-scores.md).
--
-- A run stores its evidence by stage: facts, never the endpoint, a secret or a body. The evidence that was gathered
-- first counts, however often a stage is repeated. Order is by `sequence`, not by time, because workflows may skip
-- time.

-- migrate:up

-- A rubric whose weights differ from those in effect takes effect 30 days after its publication at the earliest.
-- The functions rubric_… are the only way to write here.
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
  rfc_url          text CHECK (rfc_url ~ '^https://[!-~]+$' AND length(rfc_url) <= 2000),
  CONSTRAINT rubric_comment_period CHECK
    (NOT weights_changed OR comment_ends_at >= published_at + interval '30 days'),
  CONSTRAINT rubric_effective_after_comments CHECK (effective_at IS NULL OR effective_at >= comment_ends_at)
);
COMMENT ON COLUMN rubrics.effective_at IS 'Written by the workflow that waited, by its clock; null: announced only';
COMMENT ON COLUMN rubrics.rfc_url IS 'Where the change is discussed during its comment period';
COMMENT ON COLUMN rubrics.document IS 'Canonical JSON (src/domain/verification/rubric.ts)';

-- The agents that the rollout of a rubric has asked to verify again.
CREATE TABLE rubric_asks (
  version   text NOT NULL REFERENCES rubrics,
  agent_id  text NOT NULL REFERENCES agents,
  asked_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (version, agent_id)
);

-- A run that failed by a fault of the service is `faulted`, and its evidence is not scored.
CREATE TABLE verification_runs (
  run_id       text PRIMARY KEY CHECK (run_id ~ '^ver_[0-9a-f]{32}$'),
  sequence     bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  agent_id     text NOT NULL REFERENCES agents,
  version_id   text NOT NULL REFERENCES agent_versions,
  reason       text NOT NULL,
  state        text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'passed', 'failed', 'faulted')),
  evidence     text,
  summary      text,
  started_at   timestamptz NOT NULL DEFAULT now(),
  finished_at  timestamptz,
  CHECK ((state = 'running') = (finished_at IS NULL))
);
CREATE INDEX verification_runs_agent ON verification_runs (agent_id, sequence DESC);

CREATE TABLE verification_evidence (
  run_id     text NOT NULL REFERENCES verification_runs,
  stage      text NOT NULL CHECK (stage IN ('static', 'supplyChain', 'dynamic', 'redTeam')),
  evidence   text NOT NULL,
  stored_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run_id, stage)
);

-- Probes between runs, and periods in which buyers' calls failed (code 'buyers') or succeeded again. A behaviour
-- finding stays until as many later ones match as differed.
CREATE TABLE verification_reprobes (
  sequence    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  reprobe_id  text NOT NULL UNIQUE,
  agent_id    text NOT NULL REFERENCES agents,
  version_id  text NOT NULL REFERENCES agent_versions,
  code        text NOT NULL,
  reached     boolean NOT NULL,
  run_id      text REFERENCES verification_runs,
  made_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX verification_reprobes_open ON verification_reprobes (version_id) WHERE run_id IS NULL;
CREATE INDEX verification_reprobes_agent ON verification_reprobes (agent_id, sequence DESC);
CREATE INDEX verification_reprobes_run ON verification_reprobes (run_id) WHERE run_id IS NOT NULL;

-- Agents whose buyers' calls (buyer_days, 0016) are to be looked at. `bad_…` is the last period in which too many
-- failed.
CREATE TABLE agent_call_tallies (
  agent_id    text PRIMARY KEY,
  is_due      boolean NOT NULL DEFAULT true,
  bad_calls   integer,
  bad_failed  integer,
  bad_code    text
);
CREATE INDEX agent_call_tallies_due ON agent_call_tallies (agent_id) WHERE is_due;

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
  risk             text NOT NULL,
  remediation      text NOT NULL,
  mark             text NOT NULL,
  place            jsonb,
  invocation_id    text,
  points_lost      numeric NOT NULL,
  waiver_id        text,
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
COMMENT ON COLUMN findings.mark IS 'Digest of what was found; with the fingerprint, it says what a waiver covers';
COMMENT ON COLUMN findings.waiver_id IS 'The waiver that held in the last run that saw the finding';
CREATE TRIGGER finding_status_moves BEFORE UPDATE OF status ON findings
  FOR EACH ROW EXECUTE FUNCTION finding_status_moves();

-- An operator's decision that a finding costs nothing until a date. It covers the finding as it was seen: the same
-- fingerprint and mark. asked_at: when a run was requested because it began or ended.
CREATE TABLE finding_waivers (
  waiver_id    text PRIMARY KEY CHECK (waiver_id ~ '^fwv_[0-9a-f]{32}$'),
  agent_id     text NOT NULL REFERENCES agents,
  finding_id   text NOT NULL REFERENCES findings,
  fingerprint  text NOT NULL,
  mark         text NOT NULL,
  reason       text NOT NULL CHECK (length(reason) BETWEEN 1 AND 4000),
  granted_by   text NOT NULL REFERENCES users,
  granted_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  ended_at     timestamptz,
  ended_by     text REFERENCES users,
  end_reason   text,
  asked_at     timestamptz,
  CONSTRAINT finding_waivers_term CHECK (expires_at > granted_at AND expires_at <= granted_at + interval '366 days'),
  CONSTRAINT finding_waivers_end CHECK ((ended_by IS NULL) = (end_reason IS NULL)
    AND (ended_by IS NULL OR ended_at IS NOT NULL))
);
CREATE UNIQUE INDEX finding_waivers_holding ON finding_waivers (agent_id, fingerprint, mark) WHERE ended_at IS NULL;
CREATE INDEX finding_waivers_agent ON finding_waivers (agent_id, waiver_id DESC);
CREATE INDEX finding_waivers_expiring ON finding_waivers (expires_at) WHERE ended_at IS NULL;
CREATE INDEX finding_waivers_unasked ON finding_waivers (waiver_id) WHERE asked_at IS NULL;

CREATE TABLE finding_contests (
  contest_id         text PRIMARY KEY CHECK (contest_id ~ '^fct_[0-9a-f]{32}$'),
  agent_id           text NOT NULL REFERENCES agents,
  finding_id         text NOT NULL REFERENCES findings,
  developer_user_id  text NOT NULL REFERENCES users,
  status             text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'accepted', 'refused')),
  statement          text NOT NULL CHECK (length(statement) BETWEEN 1 AND 4000),
  opened_at          timestamptz NOT NULL DEFAULT now(),
  decided_at         timestamptz,
  decided_by         text REFERENCES users,
  decision_reason    text,
  waiver_id          text REFERENCES finding_waivers,
  CONSTRAINT finding_contests_decision CHECK ((status = 'open') = (decided_at IS NULL)
    AND (decided_at IS NULL) = (decided_by IS NULL) AND (decided_at IS NULL) = (decision_reason IS NULL)
    AND (status = 'accepted') = (waiver_id IS NOT NULL))
);
CREATE UNIQUE INDEX finding_contests_open ON finding_contests (finding_id) WHERE status = 'open';
CREATE INDEX finding_contests_finding ON finding_contests (finding_id, contest_id DESC);
CREATE INDEX finding_contests_status ON finding_contests (status, contest_id DESC);
CREATE INDEX finding_contests_waiting ON finding_contests (developer_user_id) WHERE status = 'open';

-- OSV records by package. An import queues every package of which it changed something, in the same transaction;
-- the sweep takes from the queue, finds the versions that are hit, and has their agents verified again. A scan
-- writes the packages of its version before it reads advisories, so that the scan sees an advisory or the sweep
-- sees the version.
CREATE TABLE advisories (
  ecosystem    text NOT NULL CHECK (ecosystem IN ('npm', 'PyPI')),
  package      text NOT NULL,
  advisory_id  text NOT NULL,
  severity     text NOT NULL CHECK (severity IN ('critical', 'high', 'medium', 'low')),
  summary      text NOT NULL,
  modified     timestamptz NOT NULL,
  affected     text NOT NULL,
  PRIMARY KEY (ecosystem, package, advisory_id)
);
COMMENT ON COLUMN advisories.affected IS 'JSON {versions, ranges}: src/verification/packages/osv.ts';
CREATE INDEX advisories_id ON advisories (advisory_id);
CREATE INDEX advisories_malicious ON advisories (ecosystem) WHERE advisory_id LIKE 'MAL-%';

-- Ecosystems of which all records were imported. Others are not covered, whatever single records there are.
CREATE TABLE advisory_sets (
  ecosystem    text PRIMARY KEY CHECK (ecosystem IN ('npm', 'PyPI')),
  source       text NOT NULL,
  data_date    timestamptz NOT NULL,
  complete_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN advisory_sets.data_date IS 'When the newest record was changed; reports name it';

CREATE TABLE advisory_changes (
  ecosystem    text NOT NULL,
  package      text NOT NULL,
  advisory_id  text NOT NULL,
  queued_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (ecosystem, package, advisory_id)
);

CREATE TABLE version_packages (
  version_id  text NOT NULL REFERENCES agent_versions,
  ecosystem   text NOT NULL,
  package     text NOT NULL,
  version     text NOT NULL,
  is_dev      boolean NOT NULL,
  PRIMARY KEY (version_id, ecosystem, package, version)
);
COMMENT ON TABLE version_packages IS 'What the lockfiles of a version pin, from its last scan';
CREATE INDEX version_packages_package ON version_packages (ecosystem, package);

CREATE TABLE advisory_hits (
  version_id   text NOT NULL REFERENCES agent_versions,
  advisory_id  text NOT NULL,
  ecosystem    text NOT NULL,
  package      text NOT NULL,
  version      text NOT NULL,
  found_at     timestamptz NOT NULL DEFAULT now(),
  asked_at     timestamptz,
  PRIMARY KEY (version_id, advisory_id, ecosystem, package, version)
);
COMMENT ON COLUMN advisory_hits.asked_at IS 'When a run was requested because of it, or a run had seen it already';
CREATE INDEX advisory_hits_unasked ON advisory_hits (found_at) WHERE asked_at IS NULL;

-- When the owner of an agent last asked for another verification, which makes dozens of calls (ADR 0185).
CREATE TABLE agent_reverifications (
  agent_id  text PRIMARY KEY REFERENCES agents,
  asked_at  timestamptz NOT NULL
);
COMMENT ON TABLE agent_reverifications IS 'The last verification that the owner of an agent asked for';

-- Who controls the host of a registered endpoint (ADR 0208): the proofs that were found, and the one short run that an
-- unproven origin gets.
CREATE TABLE endpoint_proofs (
  agent_id text NOT NULL,
  origin text NOT NULL CHECK (origin ~ '^https://[^/]+$'),
  method text NOT NULL CHECK (method IN ('file', 'dns', 'header')),
  proven_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (agent_id, origin)
);
COMMENT ON TABLE endpoint_proofs IS 'Origins whose control the owner of the agent has proven';

CREATE TABLE first_runs (
  run_id text PRIMARY KEY,
  agent_id text NOT NULL,
  origin text NOT NULL CHECK (origin ~ '^https://[^/]+$'),
  host text NOT NULL,
  developer_user_id text NOT NULL,
  began_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (agent_id, origin)
);
COMMENT ON TABLE first_runs IS 'Verification runs that made a few calls of an origin without a proof of its control';
CREATE INDEX first_runs_of_host ON first_runs (developer_user_id, host, began_at);

GRANT SELECT ON rubrics TO market_app;
GRANT SELECT, INSERT ON rubric_asks, verification_evidence, verification_reprobes, trust_reports TO market_app;
GRANT SELECT, INSERT, UPDATE ON verification_runs, findings TO market_app;
GRANT SELECT, INSERT ON finding_waivers, finding_contests TO market_app;
GRANT UPDATE (ended_at, ended_by, end_reason, asked_at) ON finding_waivers TO market_app;
GRANT UPDATE (status, decided_at, decided_by, decision_reason, waiver_id) ON finding_contests TO market_app;
GRANT UPDATE (run_id) ON verification_reprobes TO market_app;
GRANT SELECT, INSERT, UPDATE ON agent_call_tallies TO market_app;
GRANT SELECT, INSERT, UPDATE ON advisory_sets TO market_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON advisories, advisory_changes, version_packages, advisory_hits TO market_app;
GRANT SELECT, INSERT, UPDATE ON agent_reverifications TO market_app;
GRANT SELECT, INSERT ON endpoint_proofs, first_runs TO market_app;

-- migrate:down

DROP TABLE first_runs;
DROP TABLE endpoint_proofs;
DROP TABLE agent_reverifications;
DROP TABLE advisory_hits;
DROP TABLE version_packages;
DROP TABLE advisory_changes;
DROP TABLE advisory_sets;
DROP TABLE advisories;
DROP TABLE finding_contests;
DROP TABLE finding_waivers;
DROP TABLE findings;
DROP TABLE trust_reports;
DROP TABLE agent_call_tallies;
DROP TABLE verification_reprobes;
DROP TABLE verification_evidence;
DROP TABLE verification_runs;
DROP TABLE rubric_asks;
DROP TABLE rubrics;
