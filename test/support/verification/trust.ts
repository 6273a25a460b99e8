/** Runs with given evidence, past the probes, and what comes of them. */
import type { RunEvidence } from '../../../src/domain/verification/probe-facts';
import { newId } from '../../../src/kit/ids/ids';
import { type ConcludedRun, concludeRun } from '../../../src/services/verification/run-conclusion';
import { moveVersion } from '../../../src/stores/catalogue/agent-versions';
import { withTransaction } from '../../../src/stores/db';
import { storeStageEvidence } from '../../../src/stores/verification/verification-evidence';
import { insertRun } from '../../../src/stores/verification/verification-runs';
import type { TestMarket } from '../market';

type Market = Pick<TestMarket, 'container' | 'owner'>;

export interface VersionToVerify {
  agentId: string;
  versionId: string;
}

/** A run of a version as the workflow makes it: begun, its evidence stored, then concluded. */
export async function runWith(
  { container: { pool } }: Market,
  { agentId, versionId }: VersionToVerify,
  evidence: RunEvidence,
): Promise<ConcludedRun & { runId: string }> {
  const runId = newId('ver');
  await moveVersion(pool, versionId, ['submitted'], 'verifying');
  await insertRun(pool, { runId, agentId, versionId, reason: 'reverify' });
  await storeStageEvidence(pool, runId, 'static', evidence.static);
  await storeStageEvidence(pool, runId, 'supplyChain', evidence.supplyChain);
  await storeStageEvidence(pool, runId, 'dynamic', evidence.dynamic);
  await storeStageEvidence(pool, runId, 'redTeam', evidence.redTeam);
  const concluded = await withTransaction(pool, (tx) =>
    concludeRun(tx, { runId, agentId, versionId, evidence }, 0),
  );
  return { ...concluded, runId };
}

/** Sets the bond tier of a developer without a deposit in the ledger; bonds have their own tests. */
export async function holdTier({ owner }: Market, userId: string, tier: string | null): Promise<void> {
  await owner.query(
    `INSERT INTO bonds (developer_user_id, tier) VALUES ($1, $2)
     ON CONFLICT (developer_user_id) DO UPDATE SET tier = EXCLUDED.tier`,
    [userId, tier],
  );
  await owner.query('SELECT developer_standing_refresh($1)', [userId]);
}
