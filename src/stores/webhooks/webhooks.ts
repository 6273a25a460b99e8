/** Webhook endpoints of accounts (`migrations/0007_webhooks.sql`). URL and secrets are sealed. */
import type { EventType } from '../../domain/webhooks/event';
import type { DisabledReason } from '../../domain/webhooks/webhook';
import { onlyRow, type Db } from '../db';

export interface WebhookRow {
  webhookId: string;
  userId: string;
  types: EventType[];
  agentId: string | null;
  /** Sealed; the context is `webhookContext(webhookId)`. */
  sealed: Buffer;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  updatedAt: Date;
}

interface RawWebhook {
  webhook_id: string;
  user_id: string;
  types: EventType[];
  agent_id: string | null;
  sealed: Buffer;
  disabled_reason: DisabledReason | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'webhook_id, user_id, types, agent_id, sealed, disabled_reason, created_at, updated_at';

export type NewWebhook = Pick<WebhookRow, 'webhookId' | 'userId' | 'types' | 'agentId' | 'sealed'>;

export async function insertWebhook(tx: Db, row: NewWebhook): Promise<WebhookRow> {
  const result = await tx.query<RawWebhook>(
    `INSERT INTO webhooks (webhook_id, user_id, types, agent_id, sealed) VALUES ($1, $2, $3, $4, $5)
     RETURNING ${COLUMNS}`,
    [row.webhookId, row.userId, row.types, row.agentId, row.sealed],
  );
  return toRow(onlyRow(result));
}

/** Counts an account's endpoints and locks the account, so that concurrent creations wait for this transaction. */
export async function countWebhooksForUpdate(tx: Db, userId: string): Promise<number> {
  await tx.query('SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', [userId]);
  return countWebhooks(tx, userId);
}

async function countWebhooks(db: Db, userId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM webhooks WHERE user_id = $1',
    [userId],
  );
  return rows[0]?.n ?? 0;
}

/** Lists endpoints, newest first, with the total. `beforeId`: only endpoints before this id. */
export async function listWebhooks(
  db: Db,
  userId: string,
  page: { limit: number; beforeId: string | undefined },
): Promise<{ rows: WebhookRow[]; total: number }> {
  const { rows } = await db.query<RawWebhook>(
    `SELECT ${COLUMNS} FROM webhooks WHERE user_id = $1 AND ($2::text IS NULL OR webhook_id < $2)
      ORDER BY webhook_id DESC LIMIT $3`,
    [userId, page.beforeId ?? null, page.limit],
  );
  return { rows: rows.map(toRow), total: await countWebhooks(db, userId) };
}

export async function readWebhook(db: Db, webhookId: string): Promise<WebhookRow | undefined> {
  const { rows } = await db.query<RawWebhook>({
    name: 'webhook',
    text: `SELECT ${COLUMNS} FROM webhooks WHERE webhook_id = $1`,
    values: [webhookId],
  });
  return rows[0] && toRow(rows[0]);
}

/** Reads an account's endpoint and locks it until the transaction ends. */
export async function lockWebhook(
  tx: Db,
  userId: string,
  webhookId: string,
): Promise<WebhookRow | undefined> {
  const { rows } = await tx.query<RawWebhook>(
    `SELECT ${COLUMNS} FROM webhooks WHERE webhook_id = $1 AND user_id = $2 FOR NO KEY UPDATE`,
    [webhookId, userId],
  );
  return rows[0] && toRow(rows[0]);
}

export type WebhookChange = Pick<WebhookRow, 'types' | 'agentId' | 'sealed' | 'disabledReason'>;

export async function updateWebhook(tx: Db, webhookId: string, change: WebhookChange): Promise<WebhookRow> {
  const result = await tx.query<RawWebhook>(
    `UPDATE webhooks SET types = $2, agent_id = $3, sealed = $4, disabled_reason = $5, updated_at = now(),
       disabled_at = CASE WHEN $5::text IS NOT NULL THEN coalesce(disabled_at, now()) END
      WHERE webhook_id = $1 RETURNING ${COLUMNS}`,
    [webhookId, change.types, change.agentId, change.sealed, change.disabledReason],
  );
  return toRow(onlyRow(result));
}

/** Disables an endpoint because it answered 410 Gone. */
export async function disableGone(db: Db, webhookId: string): Promise<void> {
  await db.query(
    `UPDATE webhooks SET disabled_at = now(), disabled_reason = 'gone', updated_at = now()
      WHERE webhook_id = $1 AND disabled_at IS NULL`,
    [webhookId],
  );
}

/** Returns true if the account had this endpoint. */
export async function deleteWebhook(db: Db, userId: string, webhookId: string): Promise<boolean> {
  const { rowCount } = await db.query('DELETE FROM webhooks WHERE webhook_id = $1 AND user_id = $2', [
    webhookId,
    userId,
  ]);
  return rowCount === 1;
}

function toRow(row: RawWebhook): WebhookRow {
  return {
    webhookId: row.webhook_id,
    userId: row.user_id,
    types: row.types,
    agentId: row.agent_id,
    sealed: row.sealed,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
