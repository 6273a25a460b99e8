/**
 * Waiting deliveries of an endpoint in an order that no other index has, so that the claim cannot read the deliveries of all
 * endpoints by the primary key instead (`src/stores/webhooks/webhook-deliveries.ts`).
 */
exports.up = (knex) =>
  knex.raw(`
  DROP INDEX webhook_deliveries_waiting_endpoint;
  CREATE INDEX webhook_deliveries_waiting_endpoint ON webhook_deliveries (endpoint_id, delivery_id COLLATE "C")
    WHERE started_at IS NULL AND state = 'pending';
`);

exports.down = (knex) =>
  knex.raw(`
  DROP INDEX webhook_deliveries_waiting_endpoint;
  CREATE INDEX webhook_deliveries_waiting_endpoint ON webhook_deliveries (endpoint_id, delivery_id)
    WHERE started_at IS NULL AND state = 'pending';
`);
