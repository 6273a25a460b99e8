/** When the owner of an agent last asked for another verification, which makes dozens of calls (ADR 0185). */
exports.up = (knex) =>
  knex.raw(`
  CREATE TABLE agent_reverifications (
    agent_id  text PRIMARY KEY REFERENCES agents,
    asked_at  timestamptz NOT NULL
  );
  COMMENT ON TABLE agent_reverifications IS 'The last verification that the owner of an agent asked for';
  GRANT SELECT, INSERT, UPDATE ON agent_reverifications TO market_app;
`);

exports.down = (knex) => knex.raw('DROP TABLE agent_reverifications');
