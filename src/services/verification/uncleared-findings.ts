import { CLEAN_LOOKS, SAMPLED_RULES } from '../../domain/verification/behaviour';
import type { BehaviourFacts } from '../../domain/verification/probe-facts';
import type { Db } from '../../stores/db';
import { readCleanLooks } from '../../stores/verification/verification-evidence';

/** Findings that were seen in some answers, and that too few re-probes have cleared (ADR 0448). */
export async function unclearedOf(db: Db, agentId: string): Promise<Pick<BehaviourFacts, 'uncleared'>> {
  const looks = await readCleanLooks(db, agentId, SAMPLED_RULES);
  const uncleared = looks.filter(({ clean }) => clean < CLEAN_LOOKS);
  return uncleared.length > 0 ? { uncleared } : {};
}
