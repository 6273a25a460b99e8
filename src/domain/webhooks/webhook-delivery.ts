/**
 * Deliveries of events to customer-controlled URLs: at least once, with a fixed retry schedule (contract,
 * "Webhooks").
 */

/** Kind of endpoint. Each kind builds its own requests (services/webhooks/webhook-deliveries.ts). */
export type EndpointKind = 'a2a_push' | 'webhook';

/** `gone`: the endpoint answered 410 or was deleted; nothing more is sent to it. */
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'gone';

/** `superseded`: the owner requested a redelivery, which another workflow performs. */
export type DeliveryEnd = DeliveryState | 'superseded';

/** The end of an attempt. `notBeforeMs`: the endpoint asked to wait so many milliseconds (`Retry-After`). */
export type AttemptEnd = DeliveryEnd | { state: 'pending'; notBeforeMs: number };

/** What an attempt leaves to the next one. */
export interface AttemptPlan {
  /** The scheduled pause behind this attempt, in milliseconds; null behind the last. */
  nextPauseMs: number | null;
}

export interface WebhookDeliveryInput {
  deliveryId: string;
  /** Number of redeliveries that the owner has requested. */
  round: number;
  /** Retry schedule of this round (setting `WEBHOOK_RETRY_PAUSES_MS`). */
  pausesMs: readonly number[];
}

/** Pause before each attempt: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000,
];

/** Timeout of one attempt. */
export const ATTEMPT_LIMIT_MS = 15_000;

/** Classifies the HTTP status of an attempt. A redirect fails like any other status outside 2xx. */
export function verdictOf(status: number): 'delivered' | 'retry' | 'gone' {
  if (status >= 200 && status < 300) return 'delivered';
  return status === 410 ? 'gone' : 'retry';
}

/** The longest pause that an endpoint can ask for: the longest of the schedule. */
const LONGEST_PAUSE_MS = Math.max(...RETRY_PAUSES_MS);
const SECONDS = /^\d{1,9}$/;

/**
 * The pause that `Retry-After` of a 429 or 503 asks for (RFC 9110 §10.2.3: seconds or a date), in milliseconds; 0
 * without one. It lengthens a pause of the schedule and never shortens it.
 */
export function retryAfterMs(status: number | null, header: string | undefined, nowMs: number): number {
  if ((status !== 429 && status !== 503) || header === undefined) return 0;
  const text = header.trim();
  const isDate = /[A-Za-z]{3}/.test(text);
  const pauseMs = SECONDS.test(text) ? Number(text) * 1_000 : isDate ? Date.parse(text) - nowMs : 0;
  return pauseMs > 0 ? Math.min(pauseMs, LONGEST_PAUSE_MS) : 0;
}
