/**
 * What operators did: who, when, to what and why. Written once, in the transaction of the deed, by the service as by
 * the command; nobody changes or deletes a row, not even the owner of the tables.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE operator_actions (
    action_id         text PRIMARY KEY CHECK (action_id ~ '^opa_[0-9a-f]{32}$'),
    operator_user_id  text NOT NULL REFERENCES users,
    action            text NOT NULL CHECK (action ~ '^[a-z_]+[.][a-z_]+$'),
    subject           text NOT NULL CHECK (length(subject) BETWEEN 1 AND 200),
    reason            text NOT NULL CHECK (length(reason) BETWEEN 1 AND 4000),
    details           jsonb NOT NULL DEFAULT '{}',
    trace_id          text,
    created_at        timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON COLUMN operator_actions.subject IS 'The id of what was acted upon: agent, account, payment, dispute, …';
  CREATE INDEX operator_actions_subject ON operator_actions (subject, action_id DESC);
  CREATE INDEX operator_actions_operator ON operator_actions (operator_user_id, action_id DESC);
  CREATE TRIGGER operator_actions_written_once BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_actions
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

  GRANT SELECT, INSERT ON operator_actions TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE operator_actions;');
