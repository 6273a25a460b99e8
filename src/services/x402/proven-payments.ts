/**
 * Decides whether a payment may pay a call: one that is known and stands needs no proof; any other is verified, a share
 * of the places for each network, so that no caller can keep others from paying.
 */
import { MarketError } from '../../domain/errors';
import { createFairSlots } from '../../kit/concurrency/fair-slots';
import { newId } from '../../kit/ids/ids';
import type { DbPool } from '../../stores/db';
import * as store from '../../stores/x402/x402-payments';
import { consumeAll, type Limit, limitsOfNetwork, type RateLimits } from '../accounts/rate-limits';
import { crowded, type PresentedCall, reused, tooManyPayments, withRequirement } from './payment-answers';
import { signedOf } from './payment-item';
import { lookAt } from './payment-look';
import { verifyPayment } from './payment-proof';
import type { X402Rail } from './x402-rail';

export interface ProvenPaymentsDeps {
  pool: DbPool;
  rateLimits: RateLimits;
  /** Payments per minute and network, and per minute and paying address. */
  perMinute: number;
}

/** Verifications at a time in a process; each waits for the chain and the facilitator. */
const VERIFICATIONS = 16;
const WAITING_PER_NETWORK = 4;
const PATIENCE_MS = 5_000;
const MINUTE_MS = 60_000;

export function createProvenPayments({ pool, rateLimits, perMinute }: ProvenPaymentsDeps) {
  const limit: Limit = { points: perMinute, windowMs: MINUTE_MS };
  const slots = createFairSlots({
    slots: VERIFICATIONS,
    patienceMs: PATIENCE_MS,
    mostWaiting: WAITING_PER_NETWORK,
    late: crowded,
    crowded,
  });

  return {
    /** Counts a payment against its network and its payer. Throws `rate_limited`. */
    count(network: string, payer: string): void {
      const verdict = consumeAll(rateLimits, [
        ...limitsOfNetwork('x402', network, limit),
        { policy: 'x402-payer', key: `x402-payer/${payer}`, limit },
      ]);
      if (!verdict.allowed) throw tooManyPayments(verdict.resetAt);
    },

    /**
     * Proves a payment, and names its account in the item. Returns false for one that is known. Throws
     * `payment_invalid`, `idempotency_key_reused`, `concurrency_limited`, and `not_ready` while the chain or the
     * facilitator is away.
     */
    async prove(
      rail: X402Rail,
      call: PresentedCall,
      { item, network, isListed }: { item: store.PaymentItem; network: string; isListed: boolean },
    ): Promise<boolean> {
      const stands = () => isStanding(pool, rail, item);
      const isNew = !(await stands());
      if (isNew) {
        const signed = signedOf(rail, call, isListed);
        const block = await slots
          .run(network, () => verifyPayment(rail, signed))
          .catch(async (error: unknown) => {
            if (!(error instanceof MarketError)) throw error;
            // Another request may have paid with it meanwhile.
            if (error.code === 'payment_invalid' && (await stands())) return 0;
            throw withRequirement(rail, call, error);
          });
        item.from_block = block;
      }
      item.user_id = await accountOf(pool, rail, item.payer);
      return isNew;
    },
  };
}

/**
 * Whether the payment was verified before, and its credits are in the wallet: it is on the chain, or its call runs.
 * Throws `idempotency_key_reused` for another payment, input or agent.
 */
async function isStanding(pool: DbPool, rail: X402Rail, item: store.PaymentItem): Promise<boolean> {
  const known = await store.findPayment(pool, item);
  if (!known) return false;
  const isSame =
    known.proofSha256 === item.proof_sha256 &&
    known.agentId === item.agent_id &&
    known.inputSha256 === item.input_sha256;
  if (!isSame) throw reused();
  if (known.state === 'released') return hasArrived(pool, rail, known);
  return known.state !== 'expired';
}

/** Whether a payment whose credits were taken back is on the chain all the same; its payer then has them again. */
async function hasArrived(pool: DbPool, rail: X402Rail, known: store.X402PaymentRow): Promise<boolean> {
  if (known.sentAt === null) return false;
  const sight = await lookAt(rail, known).catch(() => undefined);
  if (sight?.kind !== 'settled') return false;
  await store.settlePayment(pool, known.paymentId, sight.txHash);
  return true;
}

async function accountOf(pool: DbPool, { target }: X402Rail, payer: string): Promise<string> {
  const accountId = `${target.network}:${payer}`;
  return (
    (await store.findPayer(pool, accountId)) ??
    store.payerAccount(pool, {
      accountId,
      newUserId: newId('usr'),
      displayName: `${payer.slice(0, 6)}…${payer.slice(-4)}`,
    })
  );
}
