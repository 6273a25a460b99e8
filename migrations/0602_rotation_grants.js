/** The rotation of master keys seals again what the service may otherwise not change: keys of evidence, kept answers. */
exports.up = (knex) =>
  knex.raw(`
  GRANT UPDATE (sealed_private) ON signing_keys TO market_app;
  GRANT UPDATE (answer) ON invocation_answers TO market_app;
`);

exports.down = (knex) =>
  knex.raw(`
  REVOKE UPDATE (sealed_private) ON signing_keys FROM market_app;
  REVOKE UPDATE (answer) ON invocation_answers FROM market_app;
`);
