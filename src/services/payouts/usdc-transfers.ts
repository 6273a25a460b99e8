/**
 * USDC payouts (docs/payouts.md; specification, x402 rules): one transfer per address and Monday. An authorization is
 * signed once and stored before anything is sent. Once it may have been sent, only the chain decides about it: it was
 * used, and the payouts are paid; or it has expired unused, and they are returned. Nothing is ever signed or sent
 * twice, so neither a crash nor a lost response can cause a double payment.
 */
import { createHash } from 'node:crypto';
import { isTransferEnded, type TransferRun } from '../../domain/payouts/transfer';
import { EgressError } from '../../egress/egress-error';
import type { Cipher } from '../../kit/crypto/cipher';
import { checksummedAddress } from '../../kit/crypto/evm-address';
import { domainSeparator } from '../../kit/crypto/usdc-authorization';
import type { Logger } from '../../logger';
import type { DbPool } from '../../stores/db';
import * as store from '../../stores/payouts/payout-transfers';
import { methodContext } from './payout-accounts';
import { signTransfer } from './signed-transfer';
import { advanceTransfer, transferContext } from './usdc-transfer-step';
import type { UsdcRail } from './usdc-rail';

const USDC_DECIMALS = 6n;

export interface UsdcTransfersDeps {
  pool: DbPool;
  cipher: Cipher;
  logger: Logger;
  /** Undefined if the rail is off; transfers in progress then wait. */
  rail: UsdcRail | undefined;
}

type Waiting = Awaited<ReturnType<typeof store.listForTransfer>>[number];

export function createUsdcTransfers(deps: UsdcTransfersDeps) {
  const { pool, logger } = deps;
  const keyOf = (run: TransferRun) => ({ asOf: new Date(run.asOf), attempt: run.attempt });

  return {
    /** Whether a run has unfinished USDC payouts. */
    hasWork: async (run: TransferRun): Promise<boolean> =>
      (await store.countOpenUsdcPayouts(pool, keyOf(run))) > 0,

    /**
     * Signs and stores a transfer per address for the reserved payouts, and returns the run's unfinished transfers.
     * Idempotent. If the chain differs from the settings, signs nothing and returns all payouts to their developers.
     * Throws `EgressError` while the node does not answer.
     */
    async prepare(run: TransferRun): Promise<string[]> {
      const waiting = await store.listForTransfer(pool, keyOf(run));
      if (waiting.length > 0) await prepareAll(deps, run, waiting);
      return store.listOpenTransfers(pool, keyOf(run));
    },

    /** Sends a transfer, or checks its result. Returns true once it has ended. Safe to repeat at any time. */
    async advance(transferId: string): Promise<boolean> {
      const transfer = await store.readTransfer(pool, transferId);
      if (!transfer) throw new Error(`transfer ${transferId} does not exist`);
      if (isTransferEnded(transfer.state)) return true;
      try {
        return await advanceTransfer({ ...deps, rail: railOf(deps) }, transfer);
      } catch (error) {
        if (error instanceof EgressError)
          logger.warn({ err: error, transferId }, 'a transfer waits: node or facilitator does not answer');
        // The next round tries again. Throwing would hold up the transfers behind this one.
        else logger.error({ err: error, transferId }, 'a transfer waits: this step failed');
        return false;
      }
    },

    /** Returns reserved payouts without a transfer when the chain is unreachable. Returns the unfinished transfers. */
    async giveUp(run: TransferRun): Promise<string[]> {
      const waiting = await store.listForTransfer(pool, keyOf(run));
      const payoutIds = waiting.map(({ payoutId }) => payoutId);
      await store.returnReserved(pool, payoutIds, 'chain_unavailable');
      return store.listOpenTransfers(pool, keyOf(run));
    },
  };
}

export type UsdcTransfers = ReturnType<typeof createUsdcTransfers>;

function railOf({ rail }: UsdcTransfersDeps): UsdcRail {
  if (!rail) throw new EgressError('unreachable', 'USDC payouts are disabled (PAYOUT_USDC)');
  return rail;
}

async function prepareAll(
  deps: UsdcTransfersDeps,
  run: TransferRun,
  waiting: readonly Waiting[],
): Promise<void> {
  const { pool, logger } = deps;
  const rail = railOf(deps);
  const head = await rail.chain.block();
  const mismatch = await mismatchOf(rail, head.number);
  if (mismatch !== undefined) {
    logger.error({ mismatch }, 'USDC payouts are returned: the chain does not match the settings');
    await store.returnReserved(
      pool,
      waiting.map(({ payoutId }) => payoutId),
      'chain_mismatch',
    );
    return;
  }
  const fromBlock = Math.max(head.number - rail.confirmations, 0);
  // The chain's clock decides when an authorization expires.
  const expiresAt = Math.max(head.time, Math.floor(Date.now() / 1_000)) + rail.validSeconds;
  for (const [payTo, payouts] of await byAddress(deps, waiting)) {
    await writeTransfer(deps, rail, { run, payTo, payouts, fromBlock, expiresAt });
  }
}

/** The first difference between the chain or token and the settings; undefined if they match. */
async function mismatchOf({ chain, domain }: UsdcRail, block: number): Promise<string | undefined> {
  if ((await chain.chainId()) !== domain.chainId) return 'network';
  if ((await chain.decimals(domain.asset, block)) !== USDC_DECIMALS) return 'decimals of the asset';
  const separator = await chain.domainSeparator(domain.asset, block);
  return separator === domainSeparator(domain) ? undefined : 'name or version of the asset';
}

/** Groups payouts by address. Payouts whose details cannot be decrypted are returned to their developers. */
async function byAddress(
  { pool, cipher, logger }: UsdcTransfersDeps,
  waiting: readonly Waiting[],
): Promise<Map<string, Waiting[]>> {
  const groups = new Map<string, Waiting[]>();
  for (const payout of waiting) {
    const payTo = await addressOf(cipher, payout).catch((error: unknown) => {
      logger.error({ err: error, payoutId: payout.payoutId }, 'cannot decrypt the details of a payout');
      return undefined;
    });
    if (payTo === undefined) await store.returnReserved(pool, [payout.payoutId], 'details_unreadable');
    else groups.set(payTo, [...(groups.get(payTo) ?? []), payout]);
  }
  return groups;
}

async function addressOf(cipher: Cipher, { payTo, sealed, methodId }: Waiting): Promise<string | undefined> {
  if (payTo !== '') return checksummedAddress(payTo);
  if (!sealed) return undefined;
  const details = (await cipher.unseal(sealed, methodContext(methodId ?? ''))).toString('utf8');
  return checksummedAddress((JSON.parse(details) as { address: string }).address);
}

interface TransferTerms {
  run: TransferRun;
  payTo: string;
  payouts: readonly Waiting[];
  fromBlock: number;
  /** Seconds since the epoch. */
  expiresAt: number;
}

async function writeTransfer(
  { pool, cipher }: UsdcTransfersDeps,
  rail: UsdcRail,
  { run, payTo, payouts, fromBlock, expiresAt }: TransferTerms,
): Promise<void> {
  const payoutIds = payouts.map(({ payoutId }) => payoutId);
  const totalMinor = payouts.reduce((sum, { amountMinor }) => sum + (amountMinor ?? 0), 0);
  const transferId = transferIdOf(run, payoutIds);
  const payment = signTransfer(rail, {
    id: transferId,
    payTo,
    amountMinor: totalMinor,
    expiresAt,
    resource: { path: '/v1/billing/developer/payouts', description: `Payout ${transferId}` },
  });
  const sealed = await cipher.seal(Buffer.from(JSON.stringify(payment)), transferContext(transferId));
  await store.writeTransfer(pool, {
    transferId,
    asOf: new Date(run.asOf),
    attempt: run.attempt,
    network: rail.network,
    asset: rail.domain.asset,
    treasury: rail.treasury,
    nonce: payment.authorization.nonce,
    payoutIds,
    totalMinor,
    validBefore: new Date(expiresAt * 1_000),
    fromBlock,
    sealed,
  });
}

/** `usdc-20261123-0-` and a hash of the payout ids, so that the nonce is unique to these payouts. */
function transferIdOf({ asOf, attempt }: TransferRun, payoutIds: readonly string[]): string {
  const hash = createHash('sha256').update(payoutIds.join('\n')).digest('hex').slice(0, 32);
  return `usdc-${asOf.slice(0, 10).replaceAll('-', '')}-${attempt}-${hash}`;
}
