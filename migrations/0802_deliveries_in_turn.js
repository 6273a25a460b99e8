/** Which endpoints have so many first attempts under way that others come first (src/stores/webhooks/webhook-deliveries.ts). */
exports.up = (knex) =>
  knex.raw(`
  CREATE INDEX webhook_deliveries_first ON webhook_deliveries (endpoint_id)
    WHERE state = 'pending' AND attempts = 0 AND started_at IS NOT NULL;
`);

exports.down = (knex) => knex.raw('DROP INDEX webhook_deliveries_first;');
