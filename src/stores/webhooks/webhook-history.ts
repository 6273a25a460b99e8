/** Deliveries to an endpoint as its owner sees them (`migrations/0007_webhooks.sql`). */
import { MOST_COUNTED } from '../../domain/list-total';
import type { EventType } from '../../domain/webhooks/event';
import type { DeliveryState } from '../../domain/webhooks/webhook-delivery';
import type { Db } from '../db';
import { countRows } from '../list-total';
import { readNewestFirst } from '../months';

export interface AttemptRow {
  attempt: number;
  at: string;
  /** HTTP status; null without a response. */
  status: number | null;
  /** Our own error code. */
  error: string | null;
  duration_ms: number;
  /** The beginning of the answer. */
  answer: string | null;
}

export interface DeliveryView {
  deliveryId: string;
  eventId: string;
  type: EventType | 'webhook.test';
  data: Record<string, unknown>;
  eventAt: Date;
  state: DeliveryState;
  /** Null before the first attempt of a round, and after the last. */
  nextAttemptAt: Date | null;
  /** Oldest first. */
  attempts: AttemptRow[];
  createdAt: Date;
  finishedAt: Date | null;
}

interface RawView {
  delivery_id: string;
  event_id: string;
  type: DeliveryView['type'];
  data: DeliveryView['data'];
  event_at: Date;
  state: DeliveryState;
  next_attempt_at: Date | null;
  attempts: (Omit<AttemptRow, 'at'> & { at: string })[] | null;
  created_at: Date;
  finished_at: Date | null;
}

const SELECT = `SELECT d.delivery_id, d.event_id, e.type, e.data, e.created_at AS event_at, d.state, d.next_attempt_at, d.created_at,
    d.finished_at, (SELECT jsonb_agg(jsonb_build_object('attempt', a.attempt, 'at', a.at, 'status', a.status,
      'error', a.error, 'duration_ms', a.duration_ms, 'answer', a.answer) ORDER BY a.attempt)
      FROM webhook_attempts a WHERE a.delivery_id = d.delivery_id) AS attempts
  FROM webhook_deliveries d JOIN events e USING (event_id)
  WHERE d.endpoint_kind = 'webhook' AND d.endpoint_id = $1`;

export interface DeliveryFilter {
  state: DeliveryState | undefined;
  limit: number;
  beforeId: string | undefined;
}

/** Lists the deliveries to an endpoint, newest first, with the total of the filter. */
export async function listDeliveries(
  db: Db,
  webhookId: string,
  { state, limit, beforeId }: DeliveryFilter,
): Promise<{ rows: DeliveryView[]; total: number }> {
  const inState = state === undefined ? '' : ' AND state = $3';
  const valuesFrom = (fromId: string | null) => [webhookId, fromId, ...(state === undefined ? [] : [state])];
  const next = state === undefined ? 3 : 4;
  const place = { prefix: 'whd' } as const;
  const rows = await readNewestFirst(
    { ...place, beforeId },
    async (fromId) =>
      (
        await db.query<RawView>(
          `${SELECT}${FROM_MONTH}${inState} AND ($${next}::text IS NULL OR d.delivery_id < $${next})
            ORDER BY d.delivery_id DESC LIMIT $${next + 1}`,
          [...valuesFrom(fromId), beforeId ?? null, limit],
        )
      ).rows,
    (found) => found.length === limit,
  );
  const list = {
    from: 'webhook_deliveries',
    key: `endpoint_id = $1 AND ($2::text IS NULL OR delivery_id >= $2)${inState}`,
    filter: `endpoint_kind = 'webhook'`,
    order: 'delivery_id DESC',
  };
  const total = await readNewestFirst(
    { ...place, beforeId: undefined },
    (fromId) => countRows(db, list, valuesFrom(fromId)),
    (counted) => counted > MOST_COUNTED,
  );
  return { rows: rows.map(toView), total };
}

/** One transaction makes an event with its deliveries: the event lies in their month, or at most one day before it. */
const FROM_MONTH = ` AND ($2::text IS NULL OR (d.delivery_id >= $2 AND
  e.event_id >= partition_bound('evt', (to_timestamp(('x' || lpad(substr($2, 5, 12), 16, '0'))::bit(64)::bigint / 1000.0)
    AT TIME ZONE 'UTC')::date - 1)))`;

/** Reads the delivery of an event to an endpoint, by delivery id or event id. */
export async function readDeliveryView(
  db: Db,
  webhookId: string,
  id: string,
): Promise<DeliveryView | undefined> {
  const { rows } = await db.query<RawView>(`${SELECT} AND (d.delivery_id = $2 OR d.event_id = $2)`, [
    webhookId,
    id,
  ]);
  return rows[0] && toView(rows[0]);
}

/**
 * Puts a delivery back into the outbox as a new round. A delivery that is already waiting there is left unchanged.
 * Returns false if the endpoint has no such delivery.
 */
export async function deliverAgain(db: Db, webhookId: string, deliveryId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE webhook_deliveries SET state = 'pending', finished_at = NULL, started_at = NULL, claimed_at = NULL, requested = true,
       next_attempt_at = NULL,
       round = round + CASE WHEN state = 'pending' AND started_at IS NULL THEN 0 ELSE 1 END
      WHERE delivery_id = $2 AND endpoint_kind = 'webhook' AND endpoint_id = $1`,
    [webhookId, deliveryId],
  );
  return rowCount === 1;
}

function toView(row: RawView): DeliveryView {
  return {
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    type: row.type,
    data: row.data,
    eventAt: row.event_at,
    state: row.state,
    nextAttemptAt: row.next_attempt_at,
    attempts: (row.attempts ?? []).map((each) => ({ ...each, at: new Date(each.at).toISOString() })),
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
