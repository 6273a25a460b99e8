/**
 * Disputes (contract, "Disputes"). A dispute of a call in progress ends the call and refunds it in full. A dispute of
 * a success opens a case, which the workflow `dispute/<id>` moves through `recordResponse` and `recordRuling`. Each
 * of these is one SQL function call: status, money and the invocation change together or not at all.
 */
import type {
  DeveloperDecision,
  DisputeCaseInput,
  OfferTerms,
  OperatorDecision,
} from '../../domain/disputes/dispute-case';
import type { DisputeReason, DisputeStatus } from '../../domain/disputes/dispute-state';
import { MarketError } from '../../domain/errors';
import { unitsToCredits } from '../../domain/ledger/money';
import type { Cipher } from '../../kit/crypto/cipher';
import { newId } from '../../kit/ids/ids';
import { type DbPool, withTransaction } from '../../stores/db';
import { type DisputedCall, readDisputedCall } from '../../stores/disputes/disputed-call';
import * as store from '../../stores/disputes/disputes';
import {
  type DisputeAttachments,
  keepAttachments,
  readAttachments,
  sealAttachments,
} from './dispute-attachments';
import { createDisputeMoves, type DisputeSide, sideOf } from './dispute-moves';
import { createOffers } from './offers';

export type Dispute = store.DisputeRow;
export type { DisputedCall, DisputeSide };
export interface DisputeOfSide {
  dispute: Dispute;
  side: DisputeSide;
  call: DisputedCall;
  attachments: DisputeAttachments;
}

export interface DisputeRequest {
  buyerUserId: string;
  invocationId: string;
  reason: DisputeReason;
  description: string;
  /** The input and the output of the call, for the developer and the operator. */
  attachments?: DisputeAttachments;
  traceId: string;
  /** Time of the buyer's request. It decides whether the dispute window is still open. */
  asOf: Date;
}

export interface DisputeResponseRecord {
  disputeId: string;
  decision: DeveloperDecision | 'silence';
  textId: string | null;
  /** A part of the charge that is offered with the response. */
  offer?: OfferTerms;
  /** ISO 8601 time of the workflow's clock. */
  asOf: string;
}

export interface DisputeRulingRecord {
  disputeId: string;
  decision: OperatorDecision;
  textId: string;
  operatorUserId: string;
  /** The part of the charge that is returned, in units; absent for all of it. */
  partUnits?: number;
  asOf: string;
}

export interface DisputesDeps {
  pool: DbPool;
  cipher: Cipher;
  /** Dispute window of successes without earnings, in ms (DISPUTE_WINDOW_MS). Earnings have their own deadline. */
  disputeWindowMs: number;
  /**
   * Window for the developer's answer, in ms (DISPUTE_RESPONSE_WINDOW_MS). A case keeps its window from the opening.
   */
  responseWindowMs: number;
}

const SWEEP_LIMIT = 100;
/**
 * A workflow that was confirmed longer ago may be lost. The sweep runs each 15 s and takes the oldest, so it confirms
 * 300 open cases within 45 s; with more of them, the turn of each comes later, and the load on Temporal stays the
 * same.
 */
const CONFIRMED_FOR_MS = 30_000;

export function createDisputes(deps: DisputesDeps) {
  const { pool, cipher } = deps;

  async function existing(disputeId: string): Promise<Dispute> {
    const dispute = await store.readDispute(pool, disputeId);
    if (!dispute) throw new MarketError('not_found');
    return dispute;
  }

  async function factsOf({ disputeId, invocationId }: Dispute) {
    return {
      call: await readDisputedCall(pool, invocationId),
      attachments: await readAttachments(pool, cipher, disputeId),
    };
  }

  return {
    /**
     * Disputes a call of the buyer. Throws `not_found`, `already_disputed`, or `invalid_state` for a call that failed
     * (it cost nothing), whose answer is being delivered in pieces, or whose window has closed, and
     * `validation_failed` for an attachment that is not of the call.
     */
    async open(request: DisputeRequest): Promise<Dispute> {
      const disputeId = newId('dsp');
      await openWith(deps, disputeId, request);
      return existing(disputeId);
    },

    /** A dispute with the facts of its call, as shown to one of its sides. Throws `not_found` for all others. */
    async get(userId: string, disputeId: string): Promise<DisputeOfSide> {
      const dispute = await existing(disputeId);
      const side = sideOf(dispute, userId);
      if (!side) throw new MarketError('not_found');
      return { dispute, side, ...(await factsOf(dispute)) };
    },

    /** A dispute with the facts of its call, for operators. Throws `not_found`. */
    async getAny(disputeId: string) {
      const dispute = await existing(disputeId);
      return { dispute, ...(await factsOf(dispute)) };
    },

    read: existing,

    list: (filter: store.DisputeFilter) => store.listDisputes(pool, filter),

    ...createDisputeMoves(pool, existing),
    ...createOffers(pool, existing),
    ...createCaseRecords(pool),
  };
}

export type Disputes = ReturnType<typeof createDisputes>;

/** Opens the dispute and stores what is attached, or does neither. */
async function openWith(
  { pool, cipher, disputeWindowMs, responseWindowMs }: DisputesDeps,
  disputeId: string,
  { attachments = {}, ...request }: DisputeRequest,
): Promise<void> {
  const sealed = await sealAttachments(cipher, attachments);
  const windows = { disputeWindowMs, responseWindowMs };
  await withTransaction(pool, async (tx) => {
    const { outcome, closesAt } = await store.openDispute(tx, { ...request, disputeId, ...windows });
    if (outcome !== 'refunded' && outcome !== 'opened')
      throw refusalOf(outcome, request.invocationId, closesAt);
    if (sealed.length === 0) return;
    const call = await readDisputedCall(tx, request.invocationId);
    await keepAttachments(tx, disputeId, { attachments, sealed }, call);
  });
}

/** The records of the workflows of cases, and the queries of the sweep that starts them. */
function createCaseRecords(pool: DbPool) {
  return {
    /** Records the developer's answer, or its absence, once. A repeated call returns the recorded status. */
    recordResponse({ disputeId, asOf, ...response }: DisputeResponseRecord): Promise<DisputeStatus> {
      return store.respondToDispute(pool, disputeId, { ...response, asOf: new Date(asOf) });
    },

    /** Records the operator's decision once. A repeated call returns the recorded status. */
    recordRuling({ disputeId, asOf, ...ruling }: DisputeRulingRecord): Promise<DisputeStatus> {
      return store.resolveDispute(pool, disputeId, { ...ruling, asOf: new Date(asOf) });
    },

    /** Takes cases whose workflow must be started or confirmed: it never started, or was last confirmed long ago. */
    claimUnconfirmed: () => store.claimUnconfirmedDisputes(pool, SWEEP_LIMIT, CONFIRMED_FOR_MS),
    markStarted: (disputeId: string) => store.markDisputeStarted(pool, disputeId),
  };
}

function refusalOf(
  outcome: Exclude<store.OpenOutcome, 'refunded' | 'opened'>,
  invocationId: string,
  closesAt: Date | null,
): MarketError {
  if (outcome === 'not_found') return new MarketError('not_found');
  if (outcome === 'already_disputed') return new MarketError('already_disputed', { invocationId });
  const message = {
    call_failed: 'The call failed and cost nothing, so there is nothing to dispute.',
    delivering:
      'A part of the answer is delivered, or all of it. Close the stream or cancel the job, or wait for its end, then dispute the call.',
    window_closed: `The dispute window of this call closed at ${closesAt?.toISOString()}.`,
  }[outcome];
  return new MarketError('invalid_state', { invocationId, message });
}

/** The input of the workflow of a case. Throws `Error` for a dispute without a case. */
export function caseInputOf(dispute: Dispute): DisputeCaseInput {
  const { disputeId, invocationId, status, respondBy, chargedUnits } = dispute;
  if (!respondBy) throw new Error(`dispute ${disputeId} has no case`);
  const deadline = { respondByMs: respondBy.getTime(), respondBy: respondBy.toISOString() };
  const charged = chargedUnits === null ? {} : { chargedCredits: unitsToCredits(chargedUnits) };
  return { disputeId, invocationId, ...charged, status, ...deadline };
}
