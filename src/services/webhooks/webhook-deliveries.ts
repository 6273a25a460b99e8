/**
 * One attempt at a time of delivering an event to a stranger's address (contract, "Webhooks"). Every kind of endpoint
 * brings a source that says what is sent, where to and with which headers; the outbox, the schedule and the rules of
 * answers are the same for all. What is sent is made once and kept encrypted until the delivery is over.
 */
import {
  ATTEMPT_LIMIT_MS,
  type DeliveryEnd,
  type DeliveryState,
  type EndpointKind,
  verdictOf,
} from '../../domain/webhooks/webhook-delivery';
import type { Egress } from '../../egress/agent-call';
import { EgressError } from '../../egress/egress-error';
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

/** What an answer may have; nothing of it is used. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** A delivery that was claimed by a process which died comes again after this. */
const CLAIM_AGAIN_MS = 10_000;
const MAX_FIRST_ATTEMPTS = 50;

/** What a kind of endpoint knows. */
export interface DeliverySource {
  /** What it tells does not change: `payload` is asked for each attempt, and nothing is kept. */
  isStable?: boolean;
  /** The body; undefined when there is nothing to tell any more. Asked once, unless it is stable. */
  payload(delivery: Delivery): Promise<Buffer | undefined>;
  /** Where to and with which headers (lower-case names), for each attempt anew; undefined when it was removed. */
  request(delivery: Delivery, body: Buffer): Promise<DeliveryRequest | undefined>;
  /** The endpoint answered 410. */
  disable(endpointId: string): Promise<void>;
}

export interface DeliveryRequest {
  url: string;
  headers: Record<string, string>;
}

export interface WebhookDeliveriesDeps {
  pool: DbPool;
  cipher: Cipher;
  egress: Pick<Egress, 'open'>;
  sources: Record<EndpointKind, DeliverySource>;
  logger: Logger;
}

/** The context under which what is delivered is sealed. */
export function payloadContext(deliveryId: string): Record<string, string> {
  return { purpose: 'webhook-delivery', delivery_id: deliveryId };
}

export function createWebhookDeliveries(deps: WebhookDeliveriesDeps) {
  const { pool, cipher } = deps;

  async function payloadOf(delivery: Delivery): Promise<Buffer | undefined> {
    const source = deps.sources[delivery.endpointKind];
    if (source.isStable) return source.payload(delivery);
    const context = payloadContext(delivery.deliveryId);
    if (delivery.sealedPayload) return cipher.open(delivery.sealedPayload, context);
    const made = await source.payload(delivery);
    if (!made) return undefined;
    await keepPayload(pool, delivery.deliveryId, await cipher.seal(made, context));
    return made;
  }

  /** The status of the answer, or the kind of failure. */
  async function send({ url, headers }: DeliveryRequest, body: Buffer): Promise<number | string> {
    try {
      const answer = await deps.egress.open({
        url,
        body,
        headers,
        deadlineMs: Date.now() + ATTEMPT_LIMIT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
      });
      await drain(answer.body);
      return answer.status;
    } catch (error) {
      if (error instanceof EgressError) return error.kind;
      throw error;
    }
  }

  return {
    /** Deliveries to start; others do not get them for ten seconds. */
    claim: (most: number) =>
      claimDeliveries(pool, { most, againMs: CLAIM_AGAIN_MS, perEndpoint: MAX_FIRST_ATTEMPTS }),
    markStarted: (started: readonly ClaimedDelivery[]) => markDeliveriesStarted(pool, started),

    /** Tries once. `pending`: try again later. Throws when Postgres is away. */
    async attempt(deliveryId: string, round: number): Promise<DeliveryEnd> {
      const delivery = await readDelivery(pool, deliveryId);
      if (!delivery) throw new Error(`no delivery ${deliveryId}`);
      if (delivery.round !== round) return 'superseded';
      if (delivery.state !== 'pending') return delivery.state;
      const source = deps.sources[delivery.endpointKind];
      const body = await payloadOf(delivery);
      const request = body && (await source.request(delivery, body));
      if (!body || !request) {
        await finishDelivery(pool, deliveryId, 'gone', round);
        return 'gone';
      }
      const startedAt = performance.now();
      const result = await send(request, body);
      const durationMs = Math.round(performance.now() - startedAt);
      const state = stateAfter(result);
      if (state === 'gone') await source.disable(delivery.endpointId);
      const [status, error] = typeof result === 'number' ? [result, null] : [null, result];
      await recordAttempt(pool, deliveryId, { round, status, error, state, durationMs });
      if (state !== 'delivered') deps.logger.info({ deliveryId, result, state }, 'a delivery was not taken');
      return state;
    },

    /** The last attempt has failed. */
    async giveUp(deliveryId: string, round: number): Promise<void> {
      await finishDelivery(pool, deliveryId, 'failed', round);
    },
  };
}

function stateAfter(result: number | string): DeliveryState {
  const verdict = typeof result === 'number' ? verdictOf(result) : 'retry';
  return verdict === 'retry' ? 'pending' : verdict;
}

/** Reads an answer to its end, so that its connection serves the next one; its status counts, whatever comes. */
async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  try {
    for await (const _ of body);
  } catch {
    // Closed by now.
  }
}

export type WebhookDeliveries = ReturnType<typeof createWebhookDeliveries>;
