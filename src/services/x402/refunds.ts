/**
 * Sends credits of a paying address back to it: one transfer of the treasury for USDC payouts, which is signed once,
 * stored before it is sent, and decided by the chain alone, like a payout (ADR 0046, ADR 0313).
 */
import { MINOR_PER_UNIT } from '../../domain/x402/payment-terms';
import { MarketError } from '../../domain/errors';
import { EgressError } from '../../egress/egress-error';
import type { Cipher } from '../../kit/crypto/cipher';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import { newId } from '../../kit/ids/ids';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import * as store from '../../stores/x402/x402-refunds';
import { signTransfer } from '../payouts/signed-transfer';
import { advanceTransfer, type TransferBook } from '../payouts/usdc-transfer-step';
import type { UsdcRail } from '../payouts/usdc-rail';
import type { SignedInPayer } from './payer-sign-ins';

export interface RefundsDeps {
  pool: DbPool;
  cipher: Cipher;
  logger: Logger;
  /** The treasury; undefined if nothing can be sent back. */
  rail: UsdcRail | undefined;
}

export type Refund = store.RefundRow;

/** The account of a paying address. */
export interface PayerAccount {
  units: number;
  isOpen: boolean;
  refunds: Refund[];
}

const SHOWN = 20;
const MOST = 20;
const LEASE_MS = 10_000;

const BOOK: TransferBook = { move: store.moveRefund, end: store.endRefund, context: refundContext };

export function createRefunds(deps: RefundsDeps) {
  const { pool, rail, logger } = deps;
  return {
    /** The paying address of an account. Throws `invalid_state` for any other account. */
    async payer(userId: string): Promise<SignedInPayer> {
      const address = await store.addressOf(pool, userId);
      if (address === undefined) throw new MarketError('invalid_state', { message: NO_PAYER });
      return { userId, address };
    },

    /** The credits of an address, whether a payment of it is still to arrive, and its latest refunds. */
    async account({ userId }: Pick<SignedInPayer, 'userId'>): Promise<PayerAccount> {
      const credits = await store.readCredits(pool, userId);
      return { ...credits, refunds: await store.listRefunds(pool, userId, SHOWN) };
    },

    /**
     * Begins to send credits back, all of them by default. Throws `invalid_state` if this marketplace sends nothing
     * back or a payment of the address is still to arrive, `insufficient_credits`, and `not_ready` while the node does
     * not answer.
     */
    async begin(payer: SignedInPayer, wish: { units: number | undefined; traceId: string }): Promise<Refund> {
      if (!rail) throw closed();
      const units = wish.units ?? (await store.readCredits(pool, payer.userId)).units;
      if (units === 0) throw new MarketError('insufficient_credits', { message: NO_CREDITS });
      const { item, sealed } = await signed(deps, rail, { payer, units, traceId: wish.traceId });
      const outcome = await store.beginRefund(pool, item, sealed);
      if (outcome === 'payment_open') throw new MarketError('invalid_state', { message: OPEN });
      if (outcome === 'frozen')
        throw new MarketError('forbidden', { message: 'An operator has frozen this wallet.' });
      if (outcome === 'insufficient') throw new MarketError('insufficient_credits', { message: NO_CREDITS });
      const [refund] = await store.listRefunds(pool, payer.userId, 1);
      if (!refund) throw new Error(`refund ${item.refund_id} was not written`);
      return refund;
    },

    /** Drives refunds on that have not ended. */
    async turn(): Promise<void> {
      for (const refund of await store.claimDueRefunds(pool, MOST, LEASE_MS)) {
        const { transferId } = refund;
        try {
          if (!rail) throw new EgressError('unreachable', 'USDC payouts are disabled (PAYOUT_USDC)');
          await advanceTransfer({ ...deps, rail, book: BOOK }, refund);
        } catch (error) {
          logger.warn({ err: error, transferId }, 'credits that are sent back wait');
        }
      }
    },
  };
}

export type Refunds = ReturnType<typeof createRefunds>;

const NO_PAYER = 'This account belongs to no paying address: sign in with one, by the header SIGN-IN-WITH-X.';
const NO_CREDITS = 'The wallet of this address holds fewer credits.';
const OPEN = 'A payment of this address is still being settled. Retry when it has ended.';

function closed(): MarketError {
  return new MarketError('invalid_state', {
    message: 'This marketplace sends no credits back on the chain. They can be spent on calls.',
  });
}

interface Wish {
  payer: SignedInPayer;
  units: number;
  traceId: string;
}

async function signed({ cipher }: RefundsDeps, rail: UsdcRail, { payer, units, traceId }: Wish) {
  const refundId = newId('xrf');
  const head = await rail.chain.block().catch((cause: unknown) => {
    throw new MarketError('not_ready', { retryAfterSeconds: 5, cause });
  });
  const amountMinor = units * MINOR_PER_UNIT;
  const expiresAt = Math.max(head.time, Math.floor(Date.now() / 1_000)) + rail.validSeconds;
  const payment = signTransfer(rail, {
    id: refundId,
    payTo: checksummedAddress(payer.address) ?? payer.address,
    amountMinor,
    expiresAt,
    resource: { path: '/v1/x402/refunds', description: `Refund ${refundId}` },
  });
  const item: store.RefundItem = {
    refund_id: refundId,
    user_id: payer.userId,
    network: rail.network,
    asset: rail.domain.asset.toLowerCase(),
    treasury: rail.treasury.toLowerCase(),
    pay_to: payer.address,
    nonce: payment.authorization.nonce,
    amount_units: units,
    amount_minor: amountMinor,
    valid_before: new Date(expiresAt * 1_000).toISOString(),
    from_block: Math.max(head.number - rail.confirmations, 0),
    trace_id: traceId,
  };
  return { item, sealed: await cipher.seal(Buffer.from(JSON.stringify(payment)), refundContext(refundId)) };
}

/** The sealing context of a signed refund. */
export function refundContext(refundId: string): Record<string, string> {
  return { purpose: 'x402-refund', refund_id: refundId };
}
