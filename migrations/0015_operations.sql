-- The audit log of operators (docs/operations.md, "Operators"): who did what, when, to what and why. Entries are
-- written once, in the transaction of the action; no role may change or delete one, not even the owner of the tables.
--
-- Where the row of an action names the operator, a trigger writes the entry (operator_note_…, slash_action): a
-- workflow carries out rulings later and may repeat them, and this way there is exactly one entry per action.
-- Everything else is written by the service. Commands that work on the database know no account: their entries say
-- who ran them, and where.

-- migrate:up

CREATE TABLE operator_actions (
  action_id         text PRIMARY KEY CHECK (action_id ~ '^opa_[0-9a-f]{32}$'),
  operator_user_id  text REFERENCES users,
  action            text NOT NULL CHECK (action ~ '^[a-z_]+[.][a-z_]+$'),
  subject           text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
  reason            text NOT NULL CHECK (length(reason) BETWEEN 1 AND 4000),
  details           jsonb NOT NULL DEFAULT '{}',
  trace_id          text,
  created_at        timestamptz NOT NULL DEFAULT now(),
  run_by            text CHECK (length(run_by) BETWEEN 1 AND 200),
  CONSTRAINT operator_actions_who CHECK (num_nonnulls(operator_user_id, run_by) = 1)
);
COMMENT ON COLUMN operator_actions.subject IS 'The id of what was acted upon: agent, account, payment, dispute, …';
COMMENT ON COLUMN operator_actions.run_by IS 'user@host that ran a command on the database, instead of an account';
CREATE INDEX operator_actions_subject ON operator_actions (subject, action_id DESC);
CREATE INDEX operator_actions_operator ON operator_actions (operator_user_id, action_id DESC);
CREATE INDEX operator_actions_action ON operator_actions (action, action_id DESC);
CREATE TRIGGER operator_actions_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

GRANT SELECT, INSERT ON operator_actions TO market_app;
GRANT SELECT ON schema_migrations TO market_app;

-- Which loops of each worker fail, as the worker last reported. Unlogged: a crash of Postgres may forget it.
CREATE UNLOGGED TABLE loop_reports (
  worker       text PRIMARY KEY,
  failing      text[] NOT NULL,
  reported_at  timestamptz NOT NULL
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE, DELETE ON loop_reports TO market_app;

-- migrate:down

DROP TABLE loop_reports;
DROP TABLE operator_actions;
