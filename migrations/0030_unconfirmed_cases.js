/**
 * Cases in the order of their last confirmation, for the sweep that starts workflows the engine has lost. The indexes
 * have open cases alone. A case whose workflow was never confirmed comes first.
 */
exports.up = (knex) =>
  knex.raw(`
  CREATE INDEX disputes_unconfirmed ON disputes ((coalesce(workflow_started_at, '-infinity')))
    WHERE status IN ('open', 'contested');
  CREATE INDEX slashes_unconfirmed ON slashes ((coalesce(workflow_started_at, '-infinity')))
    WHERE status IN ('applied', 'contested');
  CREATE INDEX bond_withdrawals_unconfirmed ON bond_withdrawals ((coalesce(workflow_started_at, '-infinity')))
    WHERE status = 'noticed';
  CREATE INDEX bonds_short ON bonds (shortfall_slash_id) WHERE shortfall_slash_id IS NOT NULL AND shortfall_ended_at IS NULL;
  COMMENT ON COLUMN disputes.workflow_started_at IS
    'When a start of the workflow was last sent or confirmed; null: the sweep starts it';
`);

exports.down = (knex) =>
  knex.raw(
    'DROP INDEX disputes_unconfirmed, slashes_unconfirmed, bond_withdrawals_unconfirmed, bonds_short;',
  );
