/** The outbox of events (`migrations/0007_webhooks.sql`). */
import type { EventType, MarketEvent } from '../../domain/webhooks/event';
import { onlyRow, type Db } from '../db';

/**
 * Records an event. Call it in the transaction that makes the event true: after the commit, it is delivered at least
 * once to every subscribed endpoint. SQL functions call `event_record` themselves. Returns the id of the event, or null
 * if no endpoint is subscribed.
 */
export async function recordEvent(tx: Db, { type, data, audience }: MarketEvent): Promise<string | null> {
  const { rows } = await tx.query<{ id: string | null }>({
    name: 'event-record',
    text: 'SELECT event_record($1, $2::jsonb, $3::text[], $4, $5) AS id',
    values: [
      type,
      JSON.stringify(data),
      audience.userIds,
      audience.agentId ?? null,
      audience.public ?? false,
    ],
  });
  return rows[0]?.id ?? null;
}

export interface EventRow {
  eventId: string;
  /** `webhook.test` is a test event that an owner requested. */
  type: EventType | 'webhook.test';
  data: Record<string, unknown>;
  createdAt: Date;
}

export async function readEvent(db: Db, eventId: string): Promise<EventRow | undefined> {
  const { rows } = await db.query<{ type: EventRow['type']; data: EventRow['data']; created_at: Date }>({
    name: 'event',
    text: 'SELECT type, data, created_at FROM events WHERE event_id = $1',
    values: [eventId],
  });
  const row = rows[0];
  return row && { eventId, type: row.type, data: row.data, createdAt: row.created_at };
}

/**
 * Counts the deliveries that the account requested by hand and that had no attempt since, up to `most`. Locks the
 * account, so that concurrent requests count each other.
 */
export async function countRequested(tx: Db, userId: string, most: number): Promise<number> {
  await tx.query('SELECT FROM users WHERE user_id = $1 FOR NO KEY UPDATE', [userId]);
  const { rows } = await tx.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM (SELECT FROM webhooks w CROSS JOIN LATERAL (
         SELECT FROM webhook_deliveries d WHERE d.endpoint_id = w.webhook_id AND d.requested LIMIT $2) d
       WHERE w.user_id = $1 LIMIT $2) n`,
    [userId, most],
  );
  return rows[0]?.n ?? 0;
}

/** Records a test event for one endpoint. Returns its id. */
export async function recordTestEvent(
  db: Db,
  webhookId: string,
  data: Record<string, unknown>,
): Promise<string> {
  const result = await db.query<{ id: string }>('SELECT event_test($1, $2::jsonb) AS id', [
    webhookId,
    JSON.stringify(data),
  ]);
  return onlyRow(result).id;
}

/** Deletes up to `most` deliveries and up to `most` events that ended `keepMs` ago. Returns the number of rows. */
export async function purgeEvents(db: Db, keepMs: number, most: number): Promise<number> {
  const { rows } = await db.query<{ n: number }>('SELECT event_purge($1, $2) AS n', [keepMs, most]);
  return rows[0]?.n ?? 0;
}
