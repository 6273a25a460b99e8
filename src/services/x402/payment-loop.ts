/**
 * Drives open payments on, whatever process opened them: takes the credits of ended calls back, and watches what the
 * chain does with their authorizations until these have ended (ADR 0309). Safe to repeat at any time, in any process.
 */
import { EgressError } from '../../egress/egress-error';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import * as store from '../../stores/x402/x402-payments';
import { lookAt } from './payment-look';
import type { X402Rail } from './x402-rail';

export interface PaymentLoopDeps {
  pool: DbPool;
  /** Undefined if payments by x402 are off; open ones then wait for the chain. */
  rail: X402Rail | undefined;
  logger: Logger;
}

const MOST = 100;
/** A process that dies leaves its payments to the others after this time. */
const LEASE_MS = 60_000;
const CALL_PAUSE_MS = 15_000;
/** A payment that was sent may arrive at any moment; any other is not expected to. */
const SENT_PAUSE_MS = 5_000;
const WATCH_PAUSE_MS = 60_000;

export function createPaymentLoop(deps: PaymentLoopDeps) {
  return async function turn(): Promise<void> {
    for (const payment of await store.claimDuePayments(deps.pool, MOST, LEASE_MS)) {
      try {
        await advance(deps, payment);
      } catch (error) {
        const { paymentId } = payment;
        if (error instanceof EgressError)
          deps.logger.warn({ err: error, paymentId }, 'a payment by x402 waits: the node does not answer');
        else deps.logger.error({ err: error, paymentId }, 'a payment by x402 waits: this step failed');
      }
    }
  };
}

async function advance({ pool, rail, logger }: PaymentLoopDeps, payment: store.DuePayment): Promise<void> {
  const { paymentId, callStatus } = payment;
  if (payment.state === 'held') {
    const isOver = callStatus !== 'pending' && callStatus !== 'running';
    if (!isOver) return store.postponePayment(pool, paymentId, CALL_PAUSE_MS);
    await store.releasePayment(pool, paymentId, 'call_ended');
    return;
  }
  if (!rail || rail.target.network !== payment.network || !isOfToken(rail, payment)) {
    logger.warn({ paymentId }, 'a payment by x402 waits: the settings have another chain or token');
    return;
  }
  const sight = await lookAt(rail, payment);
  if (sight.kind === 'settled') {
    await store.settlePayment(pool, paymentId, sight.txHash);
    logger.warn(
      { paymentId, txHash: sight.txHash },
      'a payment arrived after its call; its payer has the credits',
    );
  } else if (sight.kind === 'elsewhere') {
    await store.expirePayment(pool, paymentId, 'authorization_canceled');
  } else if (sight.kind === 'unused' && sight.time >= payment.validBefore.getTime() / 1_000) {
    await store.expirePayment(pool, paymentId, null);
  } else {
    await store.postponePayment(pool, paymentId, payment.sentAt ? SENT_PAUSE_MS : WATCH_PAUSE_MS);
  }
}

function isOfToken({ target }: X402Rail, { asset }: store.DuePayment): boolean {
  return target.asset.toLowerCase() === asset;
}
