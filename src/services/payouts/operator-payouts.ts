/** Operations of operators on payouts: recording the bank's settlement, and retrying a payout. */
import { MarketError } from '../../domain/errors';
import { type DbPool, withTransaction } from '../../stores/db';
import { recordOperatorAction } from '../../stores/accounts/operator-actions';
import { beginRetry, endRun, type RetryOutcome, type RunKey } from '../../stores/payouts/payout-run-rows';
import * as store from '../../stores/payouts/payouts';
import { returnReserved } from '../../stores/payouts/payout-transfers';
import type { OperatorRequest } from '../accounts/operator-actions';

export function createOperatorPayouts(deps: { pool: DbPool }) {
  const { pool } = deps;

  async function existing(payoutId: string): Promise<store.PayoutRow> {
    const payout = await store.readPayout(pool, payoutId);
    if (!payout) throw new MarketError('not_found');
    return payout;
  }

  return {
    /**
     * Records the bank's result for a payout in a payment file. `returned` also takes back a payout that was paid, when
     * the bank sends it back days later. USDC transfers are settled by the chain instead. Throws `not_found`,
     * `invalid_state`.
     */
    async settle(payoutId: string, paid: boolean, request: OperatorRequest): Promise<store.PayoutRow> {
      await settle(pool, await existing(payoutId), { paid, request });
      return existing(payoutId);
    },

    /**
     * Gives a payout that is in no file and no transfer back to its developer: it fails, and the next payout includes
     * its amount. Throws `not_found`, `invalid_state`.
     */
    async giveBack(payoutId: string, request: OperatorRequest): Promise<store.PayoutRow> {
      const payout = await existing(payoutId);
      const { amountUnits } = payout;
      await withTransaction(pool, async (tx) => {
        if ((await returnReserved(tx, [payoutId], request.reason)) === 0)
          throw new MarketError('invalid_state', { message: notGivenBack(payout) });
        const details = { amount_units: amountUnits };
        await recordOperatorAction(tx, { ...request, action: 'payout.return', subject: payoutId, details });
      });
      return existing(payoutId);
    },

    /**
     * Opens the run that pays a developer again for the same Monday, with an attempt of its own, in one transaction
     * with the audit log entry. Throws `not_found`, or `invalid_state` unless the payout failed or rolled over and was
     * not repeated yet.
     */
    async prepareRetry(payoutId: string, request: OperatorRequest) {
      const { developerUserId, asOf, status } = await existing(payoutId);
      const attempt = await withTransaction(pool, async (tx) => {
        const begun = await beginRetry(tx, payoutId);
        if (begun.outcome !== 'begun' || begun.attempt === null) {
          throw new MarketError('invalid_state', { message: refusalOf(begun, status) });
        }
        const details = { period_end: asOf.toISOString(), attempt: begun.attempt };
        await recordOperatorAction(tx, { ...request, action: 'payout.retry', subject: payoutId, details });
        return begun.attempt;
      });
      return { developerUserId, asOf, attempt };
    },

    /** Closes a run whose workflow could not be started, so that the payout can be retried again. */
    abandonRetry: (run: RunKey): Promise<void> => endRun(pool, run),
  };
}

async function settle(
  pool: DbPool,
  { payoutId, status, fileId, amountUnits }: store.PayoutRow,
  { paid, request }: { paid: boolean; request: OperatorRequest },
): Promise<void> {
  const at = new Date();
  const end = paid ? ({ paid, at } as const) : ({ paid, reason: request.reason, at } as const);
  const isLate = status === 'paid' && !paid;
  await withTransaction(pool, async (tx) => {
    const isDone = isLate
      ? await store.returnLate(tx, payoutId, request.reason)
      : status === 'processing' && fileId !== null && (await store.settlePayouts(tx, [payoutId], end)) > 0;
    if (!isDone) throw new MarketError('invalid_state', { message: notSettled(status, fileId) });
    const details = {
      result: paid ? 'paid' : 'returned',
      file_id: fileId,
      amount_units: amountUnits,
      ...(isLate ? { late: true } : {}),
    };
    await recordOperatorAction(tx, { ...request, action: 'payout.settle', subject: payoutId, details });
  });
}

/** Says why a payout is not given back to its developer. */
function notGivenBack({ status, fileId, transferId }: store.PayoutRow): string {
  const place = fileId ?? transferId;
  if (place === null)
    return `The payout is ${status}. Only a payout that waits for its file can be given back.`;
  const next =
    fileId === null ? 'The chain decides what becomes of it.' : 'Report what the bank did with it by settle.';
  return `The payout is ${status}, in ${place}, so it cannot be given back. ${next}`;
}

/** Says why the result of the bank does not apply to a payout. */
function notSettled(status: string, fileId: string | null): string {
  return fileId === null
    ? `The payout is ${status}, and in no file for a bank, so no bank can have a result for it.`
    : `The payout is ${status}. A bank pays or returns a payout that is processing, and can return one that is paid.`;
}

/** Says why a payout is not repeated. */
function refusalOf(
  { outcome, attempt }: { outcome: RetryOutcome; attempt: number | null },
  status: string,
): string {
  if (outcome === 'running') return `Attempt ${attempt} of this Monday is running for this developer.`;
  if (outcome === 'repeated')
    return `The payout was repeated already, as attempt ${attempt} of its Monday. Retry that payout instead.`;
  return `The payout is ${status}. Only a payout that failed or rolled over is repeated; the next Monday pays what was returned.`;
}

export type OperatorPayouts = ReturnType<typeof createOperatorPayouts>;
