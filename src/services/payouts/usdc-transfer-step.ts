/**
 * One step of an unfinished transfer of the treasury: checks the chain first, and sends only what was never sent.
 * Payouts and credits that are sent back to payers move by it.
 */
import { EgressError } from '../../egress/egress-error';
import type { SignedPayment } from '../../egress/facilitator';
import type { Cipher } from '../../kit/crypto/cipher';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import { endTransfer, moveTransfer, type TransferRow } from '../../stores/payouts/payout-transfers';
import type { UsdcRail } from './usdc-rail';

export interface TransferStepDeps {
  pool: DbPool;
  cipher: Cipher;
  logger: Logger;
  rail: UsdcRail;
  /** Where the transfer is recorded; default: among the payouts. */
  book?: TransferBook;
}

/** The record of transfers. */
export interface TransferBook {
  move: typeof moveTransfer;
  end: typeof endTransfer;
  /** The sealing context of a signed transfer. */
  context: (transferId: string) => Record<string, string>;
}

/** A transfer on its way. */
export type OpenTransfer = Pick<
  TransferRow,
  'transferId' | 'network' | 'asset' | 'treasury' | 'nonce' | 'fromBlock' | 'state' | 'reason' | 'sealed'
>;

const PAYOUTS: TransferBook = { move: moveTransfer, end: endTransfer, context: transferContext };

/** Returns true once the transfer has ended. Throws `EgressError` while node or facilitator do not answer. */
export async function advanceTransfer(deps: TransferStepDeps, transfer: OpenTransfer): Promise<boolean> {
  const { rail, logger } = deps;
  const { transferId, network } = transfer;
  if (network !== rail.network || `eip155:${await rail.chain.chainId()}` !== network) {
    logger.error({ transferId, network }, 'a transfer waits: the settings specify another chain');
    return false;
  }
  const payment = await paymentOf(deps, transfer);
  if (await endByChain(deps, transfer, payment)) return true;
  if (transfer.state === 'pending') await send(deps, transfer, payment);
  return false;
}

async function paymentOf({ cipher, book = PAYOUTS }: TransferStepDeps, { transferId, sealed }: OpenTransfer) {
  const bytes = await cipher.unseal(sealed, book.context(transferId));
  return JSON.parse(bytes.toString('utf8')) as SignedPayment;
}

/** Returns true once the chain has decided with enough confirmations: authorization used, canceled, or expired. */
async function endByChain(
  { pool, rail, logger, book = PAYOUTS }: TransferStepDeps,
  transfer: OpenTransfer,
  { authorization }: SignedPayment,
): Promise<boolean> {
  const { transferId, asset, treasury, nonce, fromBlock, reason } = transfer;
  const { chain, confirmations } = rail;
  const head = await chain.block();
  if (!(await chain.isUsed(asset, treasury, nonce, head.number))) {
    // No later block can use the authorization, and no block up to the newest has.
    const settled = await chain.block(Math.max(head.number - confirmations + 1, 0));
    if (settled.time < Number(authorization.validBefore)) return false;
    const why = reason ?? 'transfer_expired';
    await book.end(pool, transferId, { state: 'failed', txHash: null, reason: why });
    logger.error(
      { transferId, reason: why },
      'a USDC transfer has expired; what it should have paid is returned',
    );
    return true;
  }
  const use = await chain.findUse(asset, treasury, nonce, { first: fromBlock, last: head.number });
  if (!use) throw new EgressError('bad_response', 'the node does not have the log of a used authorization');
  const txHash = use.transaction;
  if (head.number - use.block + 1 < confirmations) {
    await book.move(pool, transferId, { from: ['unknown', 'submitted'], to: 'submitted', txHash });
    return false;
  }
  if (use.kind === 'canceled') {
    await book.end(pool, transferId, { state: 'failed', txHash, reason: 'authorization_canceled' });
    return true;
  }
  if (!(await chain.hasMoved(txHash, { asset, ...authorization }))) {
    logger.fatal({ transferId, txHash }, 'the nonce of a transfer was used for something else');
    return false;
  }
  await book.end(pool, transferId, { state: 'confirmed', txHash });
  return true;
}

/**
 * Sends a transfer that was never sent. After a refusal or with too little USDC, nothing has moved and it is retried.
 */
async function send(
  { pool, rail, logger, book = PAYOUTS }: TransferStepDeps,
  { transferId, asset, treasury }: OpenTransfer,
  payment: SignedPayment,
): Promise<void> {
  const wait = (reason: string) => book.move(pool, transferId, { from: ['pending'], to: 'pending', reason });
  const { number } = await rail.chain.block();
  if ((await rail.chain.balanceOf(asset, treasury, number)) < BigInt(payment.authorization.value)) {
    logger.error({ transferId, treasury }, 'a transfer waits: the treasury has too little USDC');
    await wait('treasury_short');
    return;
  }
  const verdict = await rail.facilitator.verify(payment);
  if (!verdict.isValid) {
    logger.error({ transferId, reason: verdict.reason }, 'a transfer waits: the facilitator refuses it');
    await wait('transfer_refused');
    return;
  }
  // From here on, the transfer may be on the chain, whatever happens to this process.
  if (!(await book.move(pool, transferId, { from: ['pending'], to: 'unknown' }))) return;
  const settled = await rail.facilitator.settle(payment);
  const { transaction: txHash } = settled;
  if (settled.success) {
    const to = txHash === null ? 'unknown' : 'submitted';
    await book.move(pool, transferId, { from: ['unknown'], to, txHash });
    return;
  }
  logger.error({ transferId, reason: settled.reason }, 'the facilitator did not settle a transfer');
  await book.move(pool, transferId, {
    from: ['unknown'],
    to: 'unknown',
    txHash,
    reason: 'transfer_refused',
  });
}

/** The sealing context of a transfer's signed authorization. */
export function transferContext(transferId: string): Record<string, string> {
  return { purpose: 'payout-transfer', transfer_id: transferId };
}
