/**
 * Fewer WAL records for each call (ADR 0161). Postgres locks a row, and writes a record of it, before a BEFORE trigger sees
 * its update; so the guards of accounts, holds and calls see it afterwards. A capture counts its call in the usage of the agent
 * with the row of `pending_rollups` that it writes anyway; all other ends of calls write `usage_deltas`, as before.
 */
exports.up = (knex) =>
  knex.raw(`
  DROP FUNCTION IF EXISTS ledger_capture_one(text, bigint, timestamptz);
  DROP FUNCTION IF EXISTS ledger_post_charge(holds, timestamptz);
  DROP TRIGGER accounts_guard ON accounts;
  CREATE TRIGGER accounts_guard_new BEFORE INSERT ON accounts FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
  CREATE TRIGGER accounts_guard AFTER UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
  ${guards('AFTER')}

  ALTER TABLE pending_rollups ADD COLUMN agent_id text, ADD COLUMN called_on date, ADD COLUMN duration_ms integer;
  COMMENT ON COLUMN pending_rollups.agent_id IS
    'Of the capture of a call: the agent; the call is counted by this row until it is in usage_deltas';
  COMMENT ON COLUMN pending_rollups.called_on IS 'The UTC day on which that call was accepted';

  DROP VIEW agent_day_calls, agent_total_calls, agent_day_latencies;
  ALTER TABLE usage_deltas DROP CONSTRAINT usage_deltas_calls_check, ALTER COLUMN calls TYPE bigint,
    ADD CONSTRAINT usage_deltas_calls_check CHECK (calls <> 0);
  COMMENT ON COLUMN usage_deltas.calls IS 'Positive: as many calls have this status now; -1: a call no longer has it';
  COMMENT ON COLUMN usage_deltas.duration_ms IS 'Of successes that have a duration: one in the bucket of all these calls';
  CREATE VIEW usage_changes AS
    SELECT agent_id, day, status, error_code, calls, gross_units, fee_units, duration_ms FROM usage_deltas
    UNION ALL
    SELECT g.agent_id, p.called_on, 'succeeded', '', 1, p.amount_units + p.fee_units, p.fee_units, p.duration_ms
      FROM agents g JOIN accounts a ON a.user_id = g.developer_user_id AND a.kind = 'payable'
      CROSS JOIN LATERAL (SELECT * FROM pending_rollups r
        WHERE r.account_id = a.account_id AND r.agent_id = g.agent_id OFFSET 0) p;
  COMMENT ON VIEW usage_changes IS 'What the days and totals of usage lack yet';
  ${usageViews('usage_changes')}
  GRANT SELECT ON usage_changes TO market_app;

  DROP TRIGGER IF EXISTS invocations_usage ON invocations;
  CREATE TRIGGER invocations_usage AFTER UPDATE OF status ON invocations FOR EACH ROW
    WHEN (NEW.status IN ('succeeded', 'failed', 'disputed') AND NEW.status <> OLD.status
      AND NOT (NEW.status = 'succeeded' AND NEW.charged_units > 0))
    EXECUTE FUNCTION usage_follow_call();
`);

exports.down = (knex) =>
  knex.raw(`
  INSERT INTO usage_deltas (agent_id, day, status, error_code, calls, gross_units, fee_units, duration_ms)
    SELECT agent_id, called_on, 'succeeded', '', 1, amount_units + fee_units, fee_units, duration_ms
    FROM pending_rollups WHERE agent_id IS NOT NULL;
  DROP VIEW IF EXISTS agent_day_calls, agent_total_calls, agent_day_latencies, usage_changes;
  ALTER TABLE pending_rollups DROP COLUMN agent_id, DROP COLUMN called_on, DROP COLUMN duration_ms;
  WITH taken AS (DELETE FROM usage_deltas WHERE abs(calls) > 1 RETURNING *)
  INSERT INTO usage_deltas (agent_id, day, status, error_code, calls, gross_units, fee_units, duration_ms)
    SELECT t.agent_id, t.day, t.status, t.error_code, sign(t.calls), CASE n WHEN 1 THEN t.gross_units ELSE 0 END,
      CASE n WHEN 1 THEN t.fee_units ELSE 0 END, t.duration_ms
    FROM taken t, generate_series(1, abs(t.calls)) n;
  ALTER TABLE usage_deltas DROP CONSTRAINT usage_deltas_calls_check, ALTER COLUMN calls TYPE smallint,
    ADD CONSTRAINT usage_deltas_calls_check CHECK (calls IN (-1, 1));
  DO $$ BEGIN
    -- Taking everything down drops all functions first, and their triggers and views with them.
    IF to_regprocedure('usage_follow_call()') IS NOT NULL THEN
      ${usageViews('usage_deltas')}
      DROP TRIGGER invocations_usage ON invocations;
      CREATE TRIGGER invocations_usage AFTER UPDATE OF status ON invocations FOR EACH ROW
        WHEN (NEW.status IN ('succeeded', 'failed', 'disputed') AND NEW.status <> OLD.status)
        EXECUTE FUNCTION usage_follow_call();
      DROP TRIGGER accounts_guard_new ON accounts;
      DROP TRIGGER accounts_guard ON accounts;
      CREATE TRIGGER accounts_guard BEFORE INSERT OR UPDATE ON accounts
        FOR EACH ROW EXECUTE FUNCTION ledger_guard_account();
      ${guards('BEFORE')}
    END IF;
  END $$;
`);

/** The triggers that check changes of holds and calls. */
function guards(time) {
  return `DROP TRIGGER holds_guard ON holds;
  CREATE TRIGGER holds_guard ${time} UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION ledger_guard_hold();
  DROP TRIGGER invocations_guard ON invocations;
  CREATE TRIGGER invocations_guard ${time} UPDATE OF status ON invocations
    FOR EACH ROW EXECUTE FUNCTION invocation_guard();`;
}

/** The figures of usage, exact at any time: days and totals with the changes that wait in this table or view. */
function usageViews(changes) {
  return `CREATE VIEW agent_day_calls AS
    SELECT agent_id, day, status, error_code, calls, gross_units, fee_units FROM agent_days
    UNION ALL
    SELECT agent_id, day, status, error_code, calls, gross_units, fee_units FROM ${changes};
  CREATE VIEW agent_total_calls AS
    SELECT agent_id, status, error_code, calls, gross_units, fee_units FROM agent_totals
    UNION ALL
    SELECT agent_id, status, error_code, calls, gross_units, fee_units FROM ${changes};
  CREATE VIEW agent_day_latencies AS
    SELECT agent_id, day, bucket, calls FROM agent_day_durations
    UNION ALL
    SELECT agent_id, day, duration_bucket(duration_ms), calls FROM ${changes} WHERE duration_ms IS NOT NULL;
  GRANT SELECT ON agent_total_calls, agent_day_calls, agent_day_latencies TO market_app;`;
}
