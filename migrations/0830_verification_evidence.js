/**
 * Evidence of a run by stage, stored before anything is made of it: the first that was gathered counts, however often a
 * stage is repeated. Re-probes are made between runs; the next run takes those that no run has taken. Order is by
 * `sequence`, because workflows may skip time. A run that failed by a fault of ours is `faulted`: nobody is judged by it.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE verification_evidence (
    run_id     text NOT NULL REFERENCES verification_runs,
    stage      text NOT NULL CHECK (stage IN ('static', 'supplyChain', 'dynamic', 'redTeam')),
    evidence   text NOT NULL,
    stored_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, stage)
  );
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
  CREATE INDEX verification_reprobes_run ON verification_reprobes (run_id) WHERE run_id IS NOT NULL;

  ALTER TABLE verification_runs DROP CONSTRAINT verification_runs_state_check;
  ALTER TABLE verification_runs ADD CONSTRAINT verification_runs_state_check
    CHECK (state IN ('running', 'passed', 'failed', 'faulted'));

  GRANT SELECT, INSERT ON verification_evidence, verification_reprobes TO market_app;
  GRANT UPDATE (run_id) ON verification_reprobes TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP TABLE verification_reprobes;
  DROP TABLE verification_evidence;
  DELETE FROM verification_runs WHERE state = 'faulted';
  ALTER TABLE verification_runs DROP CONSTRAINT verification_runs_state_check;
  ALTER TABLE verification_runs ADD CONSTRAINT verification_runs_state_check
    CHECK (state IN ('running', 'passed', 'failed'));
`);
