import type { Db } from '../db';
import type { LedgerProof } from './ledger-proof';
import { type LedgerWindow, windowOf } from './ledger-window';
import {
  balancesMatchEntries,
  chainsUnbroken,
  clearingIsEmpty,
  entriesBelong,
  escrowIsOpenHolds,
  noneNegative,
  transactionsSumToZero,
} from './ledger-proofs-accounts';
import {
  callsMovedAsHeld,
  clawbacksMovedAsLots,
  invocationsTellTheTruth,
  lotsMatchCaptures,
  openHoldsAreOpenCalls,
} from './ledger-proofs-calls';
import { bondsMovedAsTold, slashesMovedAsTold, slashHoldsAreOpenSlashes } from './ledger-proofs-bonds';
import { digestsMatchEntries, marketLogMatchesEntries } from './ledger-proofs-digests';
import { disputesTellTheTruth } from './ledger-proofs-disputes';
import { freeCallsAreCounted, usageIsCounted } from './ledger-proofs-counters';
import { budgetsCountTheirCalls, keysSpentTheirCharges } from './ledger-proofs-keys';
import { callsWithinMandates, mandatesFollowCalls } from './ledger-proofs-mandates';
import {
  everyTransactionHasAReason,
  invoicesHaveNoGaps,
  paymentsAreCredited,
  reversalsMovedAsTold,
  topupsAreInvoiced,
  x402PaymentsAreCredited,
  x402RefundsMovedOnce,
} from './ledger-proofs-money-in';
import {
  filesNameTheirPayouts,
  payableIsOpenLots,
  payoutsMovedAsWritten,
  earningDaysAreSums,
  payoutsTakeWholeLots,
  transfersNameTheirPayouts,
} from './ledger-proofs-payouts';

/** Proofs within the ledger. */
export const LEDGER_PROOFS: readonly LedgerProof[] = [
  transactionsSumToZero,
  entriesBelong,
  balancesMatchEntries,
  chainsUnbroken,
  noneNegative,
  escrowIsOpenHolds,
  clearingIsEmpty,
  callsMovedAsHeld,
  lotsMatchCaptures,
  payableIsOpenLots,
  clawbacksMovedAsLots,
  earningDaysAreSums,
  payoutsTakeWholeLots,
  payoutsMovedAsWritten,
  filesNameTheirPayouts,
  transfersNameTheirPayouts,
  topupsAreInvoiced,
  invoicesHaveNoGaps,
  paymentsAreCredited,
  x402PaymentsAreCredited,
  x402RefundsMovedOnce,
  reversalsMovedAsTold,
  everyTransactionHasAReason,
  bondsMovedAsTold,
  slashesMovedAsTold,
  slashHoldsAreOpenSlashes,
  digestsMatchEntries,
  marketLogMatchesEntries,
];

/** Proofs that compare the ledger with what buyers and callers see. */
export const INVOCATION_PROOFS: readonly LedgerProof[] = [
  invocationsTellTheTruth,
  openHoldsAreOpenCalls,
  disputesTellTheTruth,
  keysSpentTheirCharges,
  budgetsCountTheirCalls,
  freeCallsAreCounted,
  mandatesFollowCalls,
  callsWithinMandates,
  usageIsCounted,
];

export interface Finding {
  subject: string;
  problem: string;
}

/**
 * Prepares a transaction for proofs over all of the ledger. Postgres keeps no statistics of a partitioned table as a
 * whole, so it expects few rows of a join and looks each row up in the index of each month: hours for 5,000,000 calls.
 * Sorting and hashing read each table once.
 */
export async function planForWholeTables(db: Db): Promise<void> {
  await db.query(`SET LOCAL enable_nestloop = off; SET LOCAL work_mem = '64MB'`);
}

/** Runs a proof over all of the ledger, or over a window. Returns its first `most` problems and their total number. */
export async function runProof(
  db: Db,
  proof: LedgerProof,
  most: number,
  window?: LedgerWindow,
): Promise<{ findings: Finding[]; total: number }> {
  const { rows } = await db.query<Finding & { total: string }>(
    `${windowOf(proof, window)}
     SELECT subject, problem, count(*) OVER () AS total FROM (${proof.sql}) p ORDER BY subject, problem LIMIT ${most}`,
  );
  return {
    findings: rows.map(({ subject, problem }) => ({ subject, problem })),
    total: Number(rows[0]?.total ?? 0),
  };
}
