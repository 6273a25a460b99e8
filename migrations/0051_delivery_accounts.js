/**
 * The account in whose turns a delivery is made: the owner of the webhook, the buyer of the task (ADR 0201). Waiting deliveries
 * are found by account, in an order that no other index has (`src/stores/webhooks/webhook-deliveries.ts`).
 */
exports.up = (knex) =>
  knex.raw(`
  ALTER TABLE webhook_deliveries ADD COLUMN account text NOT NULL DEFAULT '';
  UPDATE webhook_deliveries d SET account = coalesce(
      (SELECT w.user_id FROM webhooks w WHERE w.webhook_id = d.endpoint_id),
      (SELECT t.buyer_user_id FROM a2a_tasks t WHERE t.task_id = d.subject_id AND d.endpoint_kind = 'a2a_push'),
      d.endpoint_id)
    WHERE d.state = 'pending';
  -- Processes of the version before know no account; what they write during a deployment takes turns as one account.
  ALTER TABLE webhook_deliveries ALTER COLUMN account SET DEFAULT 'unknown';
  COMMENT ON COLUMN webhook_deliveries.account IS
    'Whose turns its attempts use: the owner of the webhook, or the buyer of the task; empty if it ended before 0051';
  DROP INDEX webhook_deliveries_waiting_endpoint;
  CREATE INDEX webhook_deliveries_waiting_account ON webhook_deliveries (account, delivery_id COLLATE "C")
    WHERE started_at IS NULL AND state = 'pending';
  DROP INDEX webhook_deliveries_first;
  CREATE INDEX webhook_deliveries_first ON webhook_deliveries (account)
    WHERE state = 'pending' AND attempts = 0 AND started_at IS NOT NULL;
`);

exports.down = (knex) =>
  knex.raw(`
  DROP INDEX webhook_deliveries_first;
  DROP INDEX webhook_deliveries_waiting_account;
  ALTER TABLE webhook_deliveries DROP COLUMN account;
  CREATE INDEX webhook_deliveries_waiting_endpoint ON webhook_deliveries (endpoint_id, delivery_id COLLATE "C")
    WHERE started_at IS NULL AND state = 'pending';
  CREATE INDEX webhook_deliveries_first ON webhook_deliveries (endpoint_id)
    WHERE state = 'pending' AND attempts = 0 AND started_at IS NOT NULL;
`);
