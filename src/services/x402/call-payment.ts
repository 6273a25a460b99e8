/**
 * The payment of one call, as its course uses it: the wallet is credited in the transaction that accepts the call, and
 * the payment is settled between a valid answer and the charge. So nothing is charged that did not arrive, and a call
 * that fails settles nothing (ADR 0309).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorCode, MarketError } from '../../domain/errors';
import type { Settlement, SignedPayment } from '../../egress/facilitator';
import { withTimeout } from '../../kit/with-timeout';
import type { Logger } from '../../logger';
import {
  acceptAndPermit,
  acceptInvocations,
  type AcceptResult,
  type ForwardedItem,
} from '../../stores/calls/call-batches';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import * as store from '../../stores/x402/x402-payments';
import type { CallPayment } from '../calls/agent/in-flight';
import { reused } from './payment-answers';
import { lookAt } from './payment-look';
import type { X402Rail } from './x402-rail';

export interface CallPaymentDeps {
  pool: DbPool;
  rail: X402Rail;
  logger: Logger;
}

/** A payment that was verified. */
export interface VerifiedPayment {
  item: store.PaymentItem;
  signed: SignedPayment;
  /** When its call has certainly ended, in ms from its acceptance. */
  longestMs: number;
}

/** Between two looks at the chain. */
const PAUSE_MS = 400;
/** The first look waits for the facilitator's answer for so long. */
const ANSWER_MS = 1_500;
/** Answers of a facilitator that say nothing about the end of a payment. */
const OPEN_REASON = 'settlement_pending';
const NO_ANSWER: Settlement = { success: false, reason: OPEN_REASON, transaction: null };

export function createCallPayment(deps: CallPaymentDeps, payment: VerifiedPayment): CallPayment {
  return {
    accept: (item, holdsAtOnce) => accept(deps.pool, payment, { item, holdsAtOnce }),
    settle: (invocationId) => settle(deps, payment, invocationId),
  };
}

/** Undoes a payment whose call was not accepted. */
const NOT_ACCEPTED = new Error('the call was not accepted');

/** Credits and hold appear in one transaction, so nothing else can spend what has not arrived. */
async function accept(
  pool: DbPool,
  payment: VerifiedPayment,
  { item, holdsAtOnce }: { item: ForwardedItem; holdsAtOnce: boolean },
): Promise<AcceptResult> {
  let result: AcceptResult | undefined;
  try {
    await withTransaction(pool, async (tx) => {
      const isFunded = await fund(tx, payment, item.invocation_id);
      [result] = holdsAtOnce ? await acceptAndPermit(tx, [item]) : await acceptInvocations(tx, [item]);
      const isJoined = result?.outcome === 'attach' || result?.outcome === 'replay';
      if (!isFunded && !isJoined) throw reused();
      if (result?.outcome !== 'accepted') throw NOT_ACCEPTED;
    });
  } catch (error) {
    if (error !== NOT_ACCEPTED) throw error;
  }
  if (!result) throw new Error('accept returned nothing');
  return result;
}

/** Credits the wallet. Returns false if an earlier call has the payment, which this one must join. */
async function fund(tx: Db, { item, longestMs }: VerifiedPayment, invocationId: string): Promise<boolean> {
  const outcome = await store.openPayment(tx, { ...item, invocation_id: invocationId }, longestMs);
  if (outcome === 'reused') throw reused();
  if (outcome === 'expired') throw new MarketError('payment_invalid', { message: EXPIRED });
  return outcome === 'funded';
}

const EXPIRED = 'This authorization has ended without being used. Sign another one.';

/** Returns undefined once the payment is on the chain, else the code with which the call fails. Never throws. */
async function settle(
  deps: CallPaymentDeps,
  payment: VerifiedPayment,
  invocationId: string,
): Promise<ErrorCode | undefined> {
  let paymentId = payment.item.payment_id;
  try {
    paymentId = await paymentIdOf(deps.pool, payment.item);
    const permit = await store.permitSend(deps.pool, paymentId, invocationId);
    if (permit === 'settled') return undefined;
    if (permit === 'closed') return 'engine_unavailable';
    return await send(deps, payment, paymentId);
  } catch (error) {
    deps.logger.error({ err: error, paymentId, invocationId }, 'a payment by x402 could not be settled');
    return 'payment_pending';
  }
}

/** A payment that was sent before for a call that failed has its first id. */
async function paymentIdOf(pool: DbPool, item: store.PaymentItem): Promise<string> {
  return (await store.findPayment(pool, item))?.paymentId ?? item.payment_id;
}

async function send(
  deps: CallPaymentDeps,
  { item, signed }: VerifiedPayment,
  paymentId: string,
): Promise<ErrorCode | undefined> {
  const { rail, pool, logger } = deps;
  const giveUpAt = Date.now() + rail.settleMs;
  let answer: Settlement | undefined;
  const answered = rail.facilitator
    .settle(signed)
    .catch((error: unknown) => {
      logger.warn({ err: error, paymentId }, 'the facilitator did not answer to a settlement');
      return NO_ANSWER;
    })
    .then((settlement) => (answer = settlement));
  await withTimeout(Math.min(ANSWER_MS, rail.settleMs), answered, () => undefined);
  for (;;) {
    const sight = await lookAt(rail, lookedAt(item)).catch(() => undefined);
    if (sight?.kind === 'settled') {
      await store.settlePayment(pool, paymentId, sight.txHash);
      return undefined;
    }
    if (sight?.kind === 'elsewhere') return 'payment_failed';
    if (sight?.kind === 'unused' && isRefusal(answer)) {
      logger.warn({ paymentId, answer }, 'the facilitator did not settle a payment');
      return 'payment_failed';
    }
    if (Date.now() >= giveUpAt) return 'payment_pending';
    await sleep(PAUSE_MS);
  }
}

/** The facilitator says that it sent nothing. The chain decides all the same. */
function isRefusal(answer: Settlement | undefined): boolean {
  return answer?.success === false && answer.transaction === null && answer.reason !== OPEN_REASON;
}

function lookedAt(item: store.PaymentItem) {
  const { asset, payer, nonce, pay_to: payTo, amount_minor: amountMinor, from_block: fromBlock } = item;
  return { asset, payer, nonce, payTo, amountMinor, fromBlock };
}
