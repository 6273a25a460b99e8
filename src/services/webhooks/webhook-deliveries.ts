/**
 * Single attempts to deliver an event to an untrusted endpoint (contract, "Webhooks"). Each kind of endpoint has a
 * source, which provides body, URL and headers. The outbox, the schedule and the handling of responses are common to
 * all. The body is created once and stored encrypted until the delivery ends.
 */
import { ANSWER_BYTES, answerText } from '../../domain/webhooks/answer-text';
import {
  ATTEMPT_LIMIT_MS,
  type AttemptEnd,
  type AttemptPlan,
  type DeliveryState,
  type EndpointKind,
  retryAfterMs,
  verdictOf,
} from '../../domain/webhooks/webhook-delivery';
import type { Egress } from '../../egress/agent-call';
import { EgressError } from '../../egress/egress-error';
import { createShares } from '../../kit/concurrency/shares';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import {
  claimDeliveries,
  type ClaimedDelivery,
  type Delivery,
  finishDelivery,
  keepPayload,
  markDeliveriesStarted,
  readDelivery,
  recordAttempt,
} from '../../stores/webhooks/webhook-deliveries';

/** A claimed delivery whose process died becomes available again after this time. */
const CLAIM_AGAIN_MS = 10_000;
/** Limit for one account, at the same time. */
const MAX_FIRST_ATTEMPTS = 50;
/** Accounts that one claim looks at. */
const MAX_ACCOUNTS = 200;

/** The part of a delivery that depends on the kind of endpoint. */
export interface DeliverySource {
  /** True if `payload` always returns the same bytes. It is then called for each attempt, and nothing is stored. */
  isStable?: boolean;
  /** Returns the body; undefined if there is nothing to deliver any more. Called once, unless `isStable`. */
  payload(delivery: Delivery): Promise<Buffer | undefined>;
  /** Returns URL and headers (lower-case names) for an attempt; undefined if the endpoint was removed. */
  request(delivery: Delivery, body: Buffer): Promise<DeliveryRequest | undefined>;
  /** Disables an endpoint that answered 410 Gone. */
  disable(endpointId: string): Promise<void>;
}

export interface DeliveryRequest {
  url: string;
  headers: Record<string, string>;
}

export interface WebhookDeliveriesDeps {
  pool: DbPool;
  cipher: Cipher;
  egress: Pick<Egress, 'notify'>;
  sources: Record<EndpointKind, DeliverySource>;
  logger: Logger;
  /**
   * Bytes that may be stored for the buyer of a task, besides paid calls; beyond it a body is made for each attempt.
   */
  storedQuota: number;
  /** Attempts of this process at the same time; accounts share them. */
  places: number;
}

/** The sealing context of a delivery's body. */
export function payloadContext(deliveryId: string): Record<string, string> {
  return { purpose: 'webhook-delivery', delivery_id: deliveryId };
}

/** The result of an attempt: the status, or an error code. */
interface Result {
  status: number | null;
  error: string | null;
  /** The beginning of the answer. */
  answer: string | null;
  retryAfter?: string | undefined;
}

/** Returns the step that makes an attempt of a pending delivery, and records it. */
function createAttempts(deps: WebhookDeliveriesDeps) {
  const { pool, cipher } = deps;

  async function payloadOf(delivery: Delivery): Promise<Buffer | undefined> {
    const source = deps.sources[delivery.endpointKind];
    if (source.isStable) return source.payload(delivery);
    const context = payloadContext(delivery.deliveryId);
    if (delivery.sealedPayload) return cipher.unseal(delivery.sealedPayload, context);
    const made = await source.payload(delivery);
    if (!made) return undefined;
    await keepPayload(pool, delivery.deliveryId, await cipher.seal(made, context), deps.storedQuota);
    return made;
  }

  /**
   * Sends a request, and reads its status and the beginning of its answer for its owner. Receivers get events at least
   * once, so it may be repeated. An address that is not public is `unreachable`, as one that does not resolve or
   * answer, so that an owner cannot read a network that only this service reaches (ADR 0195).
   */
  async function send({ url, headers }: DeliveryRequest, body: Buffer, sampleBytes: number): Promise<Result> {
    try {
      const deadlineMs = Date.now() + ATTEMPT_LIMIT_MS;
      const request = { url, body, headers, deadlineMs, maxResponseBytes: 0, repeatable: true, sampleBytes };
      const { status, header, sample } = await deps.egress.notify(request);
      const answer = answerText(await sample, headers);
      return { status, error: null, answer, retryAfter: header('retry-after') };
    } catch (error) {
      if (error instanceof EgressError)
        return {
          status: null,
          error: error.kind === 'unsafe_url' ? 'unreachable' : error.kind,
          answer: null,
        };
      throw error;
    }
  }

  return async function attemptPending(delivery: Delivery, plan?: AttemptPlan): Promise<AttemptEnd> {
    const { deliveryId, round } = delivery;
    const source = deps.sources[delivery.endpointKind];
    const body = await payloadOf(delivery);
    const request = body && (await source.request(delivery, body));
    if (!body || !request) {
      await finishDelivery(pool, deliveryId, 'gone', round);
      return 'gone';
    }
    const startedAt = performance.now();
    const sampleBytes = delivery.endpointKind === 'webhook' ? ANSWER_BYTES : 0;
    const { status, error, answer, retryAfter } = await send(request, body, sampleBytes);
    const durationMs = Math.round(performance.now() - startedAt);
    const state = status === null ? 'pending' : stateAfter(status);
    if (state === 'gone') await source.disable(delivery.endpointId);
    const notBeforeMs = retryAfterMs(status, retryAfter, Date.now());
    const pauseMs = plan?.nextPauseMs ?? null;
    const nextMs = state === 'pending' && pauseMs !== null ? Math.max(pauseMs, notBeforeMs) : null;
    await recordAttempt(pool, deliveryId, { round, status, error, answer, state, durationMs, nextMs });
    if (state !== 'delivered')
      deps.logger.info({ deliveryId, result: status ?? error, state }, 'an attempt to deliver failed');
    return state === 'pending' && notBeforeMs > 0 ? { state, notBeforeMs } : state;
  };
}

export function createWebhookDeliveries(deps: WebhookDeliveriesDeps) {
  const { pool } = deps;
  const attemptPending = createAttempts(deps);
  const shares = createShares(deps.places);
  return {
    /** Claims deliveries to start. Other processes do not get them for ten seconds. */
    claim: createClaims(pool),
    markStarted: (started: readonly ClaimedDelivery[]) => markDeliveriesStarted(pool, started),

    /**
     * Makes one attempt. `pending` means that it must be retried later, and not before
     * `notBeforeMs` if the endpoint asked for a pause. `busy` means that none was made,
     * because the account has its share of the attempts of this process. Throws when Postgres is unreachable.
     */
    async attempt(deliveryId: string, round: number, plan?: AttemptPlan): Promise<AttemptEnd | 'busy'> {
      const delivery = await readDelivery(pool, deliveryId);
      if (!delivery) throw new Error(`no delivery ${deliveryId}`);
      if (delivery.round !== round) return 'superseded';
      if (delivery.state !== 'pending') return delivery.state;
      const leave = shares.enter(delivery.account);
      if (!leave) return 'busy';
      try {
        return await attemptPending(delivery, plan);
      } finally {
        leave();
      }
    },

    /** Ends a delivery after its last attempt has failed. */
    async giveUp(deliveryId: string, round: number): Promise<void> {
      await finishDelivery(pool, deliveryId, 'failed', round);
    },
  };
}

/**
 * Each claim begins behind the account at which the last one ended, so that each account has its turn, however many
 * wait.
 */
function createClaims(pool: DbPool) {
  let lastAccount = '';
  return async (most: number): Promise<ClaimedDelivery[]> => {
    const limits = {
      most,
      againMs: CLAIM_AGAIN_MS,
      perAccount: MAX_FIRST_ATTEMPTS,
      accounts: MAX_ACCOUNTS,
    };
    const claimed = await claimDeliveries(pool, limits, lastAccount);
    lastAccount = claimed.at(-1)?.account ?? '';
    return claimed;
  };
}

function stateAfter(status: number): DeliveryState {
  const verdict = verdictOf(status);
  return verdict === 'retry' ? 'pending' : verdict;
}

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>;
