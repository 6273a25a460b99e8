/** The outbox of deliveries to untrusted endpoints (`migrations/0007_webhooks.sql`). */
import type { EndpointKind, DeliveryState } from '../../domain/webhooks/webhook-delivery';
import type { Db } from '../db';

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
  /** Number of redeliveries that the owner requested. */
  round: number;
  /** The account whose turns its attempts use: the owner of the webhook, or the buyer of the task. */
  account: string;
}

export interface ClaimedDelivery {
  deliveryId: string;
  eventId: string;
  endpointId: string;
  round: number;
  account: string;
}

export interface ClaimLimits {
  most: number;
  /** A claimed delivery that is not started becomes available again after this time. */
  againMs: number;
  /** Limit of concurrent first attempts per account, so that endpoints that hang do not delay those of others. */
  perAccount: number;
  /** How many accounts are looked at. */
  accounts: number;
}

/** The first account behind another one that has waiting deliveries; a step along the index over accounts. */
const nextAccount = (after: string) => `(SELECT w.account FROM webhook_deliveries w
  WHERE w.started_at IS NULL AND w.state = 'pending' AND w.account > ${after} ORDER BY w.account LIMIT 1)`;

/**
 * Accounts take turns: the first delivery of each, then the second, whatever number of endpoints they have. Reads one
 * row for each of up to $5 accounts that wait, and of each only as many deliveries as it may start: what waits for
 * blocked endpoints costs nothing. The accounts form a circle, which begins behind the last one of the last claim. Only
 * the index of an account's waiting deliveries has the order of `COLLATE "C"`: by the primary key, the others would be
 * looked for behind all rows of the blocked account, which statistics of such a table make look cheap.
 */
const CLAIM = `
  WITH RECURSIVE behind(account) AS (
    SELECT ${nextAccount('$4')}
    UNION ALL SELECT ${nextAccount('b.account')} FROM behind b WHERE b.account IS NOT NULL),
  before(account) AS (
    SELECT ${nextAccount("''")}
    UNION ALL SELECT ${nextAccount('b.account')} FROM before b WHERE b.account <= $4),
  waiting AS MATERIALIZED (
    SELECT account FROM behind WHERE account IS NOT NULL
    UNION ALL SELECT account FROM before WHERE account <= $4 LIMIT $5),
  busy AS MATERIALIZED (
    SELECT w.account, (SELECT count(*) FROM (SELECT FROM webhook_deliveries s
       WHERE s.account = w.account AND s.state = 'pending' AND s.attempts = 0 AND s.started_at IS NOT NULL
       LIMIT $3) s) AS started
      FROM waiting w),
  ranked AS MATERIALIZED (
    SELECT d.delivery_id, b.started + row_number() OVER (PARTITION BY b.account ORDER BY d.delivery_id) AS turn
      FROM busy b
     CROSS JOIN LATERAL (SELECT n.delivery_id FROM webhook_deliveries n
       WHERE n.account = b.account AND n.started_at IS NULL AND n.state = 'pending'
         AND (n.claimed_at IS NULL OR n.claimed_at < now() - $2 * interval '1 millisecond')
       ORDER BY n.delivery_id COLLATE "C" LIMIT $3 - b.started FOR UPDATE SKIP LOCKED) d),
  chosen AS MATERIALIZED (SELECT r.delivery_id FROM ranked r WHERE r.turn <= $3 ORDER BY r.turn LIMIT $1)
  UPDATE webhook_deliveries d SET claimed_at = now() FROM chosen c WHERE d.delivery_id = c.delivery_id
  RETURNING d.delivery_id, d.event_id, d.endpoint_id, d.round, d.account`;

/**
 * Claims deliveries that are not started, oldest first for each account. `after`: the account behind which to begin.
 */
export async function claimDeliveries(
  db: Db,
  limits: ClaimLimits,
  after: string,
): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<{
    delivery_id: string;
    event_id: string;
    endpoint_id: string;
    round: number;
    account: string;
  }>({
    // The outbox asks every second, and planning takes six times as long as running.
    name: 'delivery-claim',
    text: CLAIM,
    values: [limits.most, limits.againMs, limits.perAccount, after, limits.accounts],
  });
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    round: row.round,
    account: row.account,
  }));
}

export async function markDeliveriesStarted(db: Db, started: readonly ClaimedDelivery[]): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries d SET started_at = now() FROM unnest($1::text[], $2::integer[]) s(delivery_id, round)
      WHERE d.delivery_id = s.delivery_id AND d.round = s.round`,
    [started.map(({ deliveryId }) => deliveryId), started.map(({ round }) => round)],
  );
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
    round: number;
    account: string;
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
      round: row.round,
      account: row.account,
    }
  );
}

/** Stores the payload, so that every attempt sends the same bytes. An existing payload is kept. */
export async function keepPayload(db: Db, deliveryId: string, sealed: Buffer, quota: number): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries d SET payload = $2::bytea WHERE delivery_id = $1 AND payload IS NULL AND state = 'pending'
        AND (SELECT stored_bytes_keep(t.buyer_user_id, true, octet_length($2::bytea), now() + interval '1 day', $3::bigint)
               FROM a2a_tasks t WHERE t.task_id = d.subject_id) IS NOT FALSE`,
    [deliveryId, sealed, quota],
  );
}

export interface AttemptRecord {
  /** Round of the attempt. */
  round: number;
  /** HTTP status; null without a response. */
  status: number | null;
  /** Our own error code; never text of the endpoint's server. */
  error: string | null;
  /** The beginning of the answer, for the owner. */
  answer: string | null;
  state: DeliveryState;
  durationMs: number;
  /** Time until the next attempt; null if none is scheduled. */
  nextMs: number | null;
}

/**
 * Records an attempt. A final state ends the delivery and deletes its payload. An attempt of a superseded round is
 * recorded without changing the state.
 */
export async function recordAttempt(db: Db, deliveryId: string, attempt: AttemptRecord): Promise<void> {
  await db.query(
    `WITH tried AS (
       UPDATE webhook_deliveries d SET attempts = d.attempts + 1, last_status = $2, last_error = $3, requested = false,
         state = CASE WHEN d.round = $5 THEN $4 ELSE d.state END,
         finished_at = CASE WHEN d.round = $5 AND $4 <> 'pending' THEN now() END,
         next_attempt_at = CASE WHEN d.round = $5 THEN now() + $8 * interval '1 millisecond' END,
         payload = CASE WHEN d.round <> $5 OR $4 = 'pending' THEN d.payload END
       WHERE d.delivery_id = $1 AND d.state = 'pending' RETURNING d.delivery_id, d.attempts)
     INSERT INTO webhook_attempts (delivery_id, attempt, status, error, duration_ms, answer)
     SELECT t.delivery_id, t.attempts, $2, $3, $6, $7 FROM tried t`,
    [
      deliveryId,
      attempt.status,
      attempt.error,
      attempt.state,
      attempt.round,
      attempt.durationMs,
      attempt.answer,
      attempt.nextMs,
    ],
  );
}

/** Ends a delivery without a further attempt, unless a new round has begun. */
export async function finishDelivery(
  db: Db,
  deliveryId: string,
  state: Exclude<DeliveryState, 'pending'>,
  round: number,
): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries SET state = $2, finished_at = now(), payload = NULL, requested = false, next_attempt_at = NULL
      WHERE delivery_id = $1 AND state = 'pending' AND round = $3`,
    [deliveryId, state, round],
  );
}
