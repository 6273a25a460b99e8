-- What agents call back about probes (ADR 0317). A probe is no call of an account, so it has no row among the calls. A row
-- is made before the probe is sent to an agent that takes jobs, and stays for as long as the agent may repeat a callback.

-- migrate:up

CREATE TABLE probe_jobs (
  invocation_id  text PRIMARY KEY CHECK (invocation_id ~ '^inv_[0-9a-f]{32}$'),
  agent_id       text NOT NULL,
  began_at       timestamptz NOT NULL DEFAULT now(),
  heard_at       timestamptz,
  heard_webhook  text,
  progress       real,
  reports        integer NOT NULL DEFAULT 0,
  backwards      integer NOT NULL DEFAULT 0,
  unsigned       integer NOT NULL DEFAULT 0,
  end_webhook    text,
  end_kind       text CHECK (end_kind IN ('answer', 'failure')),
  end_body       bytea,
  over_at        timestamptz,
  late           integer NOT NULL DEFAULT 0
);
COMMENT ON COLUMN probe_jobs.backwards IS 'Reports of less progress than before';
COMMENT ON COLUMN probe_jobs.unsigned IS 'Callbacks that no secret of the agent had signed';
COMMENT ON COLUMN probe_jobs.end_body IS 'Envelope-encrypted answer or failure, until the probe is over';
COMMENT ON COLUMN probe_jobs.late IS 'Answers and failures that came after the probe was over';
CREATE INDEX probe_jobs_began ON probe_jobs (began_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON probe_jobs TO market_app;

-- migrate:down

DROP TABLE probe_jobs;
