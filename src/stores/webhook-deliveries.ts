/** The outbox of deliveries to strangers' addresses (migrations/0702). */
import type { EndpointKind, DeliveryState } from '../domain/webhook-delivery';
import type { Db } from './db';

export interface Delivery {
  deliveryId: string;
  eventId: string;
  endpointKind: EndpointKind;
  endpointId: string;
  subjectId: string;
  subjectSeq: number | null;
  /** Sealed; the context is `deliveryContext(deliveryId)`. Null before the first attempt and after the last. */
  sealedPayload: Buffer | null;
  state: DeliveryState;
}

export interface ClaimedDelivery {
  deliveryId: string;
  eventId: string;
  endpointId: string;
}

/** Takes deliveries that nobody has started; one that was taken and not started comes again after `againMs`. */
export async function claimDeliveries(db: Db, most: number, againMs: number): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<{ delivery_id: string; event_id: string; endpoint_id: string }>(
    `UPDATE webhook_deliveries d SET claimed_at = now() WHERE d.delivery_id IN (
       SELECT w.delivery_id FROM webhook_deliveries w
        WHERE w.started_at IS NULL AND w.state = 'pending'
          AND (w.claimed_at IS NULL OR w.claimed_at < now() - $2 * interval '1 millisecond')
        ORDER BY w.created_at, w.delivery_id LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING d.delivery_id, d.event_id, d.endpoint_id`,
    [most, againMs],
  );
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
  }));
}

export async function markDeliveryStarted(db: Db, deliveryId: string): Promise<void> {
  await db.query('UPDATE webhook_deliveries SET started_at = now() WHERE delivery_id = $1', [deliveryId]);
}

export async function readDelivery(db: Db, deliveryId: string): Promise<Delivery | undefined> {
  const { rows } = await db.query<{
    delivery_id: string;
    event_id: string;
    endpoint_kind: EndpointKind;
    endpoint_id: string;
    subject_id: string;
    subject_seq: number | null;
    payload: Buffer | null;
    state: DeliveryState;
  }>('SELECT * FROM webhook_deliveries WHERE delivery_id = $1', [deliveryId]);
  const row = rows[0];
  return (
    row && {
      deliveryId: row.delivery_id,
      eventId: row.event_id,
      endpointKind: row.endpoint_kind,
      endpointId: row.endpoint_id,
      subjectId: row.subject_id,
      subjectSeq: row.subject_seq,
      sealedPayload: row.payload,
      state: row.state,
    }
  );
}

/** Keeps what will be sent, so that every attempt sends the same; what was kept first stays. */
export async function keepPayload(db: Db, deliveryId: string, sealed: Buffer): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries SET payload = $2 WHERE delivery_id = $1 AND payload IS NULL AND state = 'pending'`,
    [deliveryId, sealed],
  );
}

export interface AttemptRecord {
  /** HTTP status; null when there was no answer. */
  status: number | null;
  /** A kind of failure of ours; never what the stranger's server said. */
  error: string | null;
  state: DeliveryState;
}

/** Counts an attempt; with a final state the delivery is over and its payload is deleted. */
export async function recordAttempt(db: Db, deliveryId: string, attempt: AttemptRecord): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries SET attempts = attempts + 1, last_status = $2, last_error = $3, state = $4,
       finished_at = CASE WHEN $4 <> 'pending' THEN now() END,
       payload = CASE WHEN $4 = 'pending' THEN payload END
     WHERE delivery_id = $1 AND state = 'pending'`,
    [deliveryId, attempt.status, attempt.error, attempt.state],
  );
}

/** Ends a delivery without a further attempt. */
export async function finishDelivery(
  db: Db,
  deliveryId: string,
  state: Exclude<DeliveryState, 'pending'>,
): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries SET state = $2, finished_at = now(), payload = NULL
      WHERE delivery_id = $1 AND state = 'pending'`,
    [deliveryId, state],
  );
}
