/** What the rotation of master keys exchanges of tasks (src/services/operations/sealed-places.ts). */
exports.up = (knex) => knex.raw('GRANT UPDATE (input, message) ON a2a_tasks TO market_app;');

exports.down = (knex) => knex.raw('REVOKE UPDATE (input, message) ON a2a_tasks FROM market_app;');
