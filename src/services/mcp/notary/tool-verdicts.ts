/**
 * Decides on the list of tools that a run saw, in the transaction that concludes the run. Buyers are served a verified
 * list from then on. If it is refused, they go on being served the one before.
 */
import { toolWords } from '../../../domain/catalogue/search/tool-words';
import type { Tool } from '../../../domain/catalogue/tools/tool-list';
import type { RunOutcome } from '../../../domain/verification/verification';
import { putToolWords } from '../../../stores/catalogue/search/tool-words';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { Db } from '../../../stores/db';
import {
  confirmTakenOver,
  deleteList,
  lockOfRun,
  lockVerified,
  moveList,
  tidyLists,
} from '../../../stores/verification/tool-lists';
import { announceChange } from './tool-events';

export interface ToolVerdict {
  runId: string;
  version: Pick<ServingVersion, 'agentId' | 'versionId' | 'developerUserId'>;
  outcome: RunOutcome['kind'];
  /** The digest of the list that the run saw; undefined if it saw none. */
  seen: string | undefined;
  /** Why the list is refused; undefined if it is good. */
  reason: string | undefined;
  /** False for the definitions of an agent that is no MCP server, which is found by its own words. */
  areTools: boolean;
}

/** Texts of old lists of an agent that are kept, and lists without them. */
const KEPT = { most: 20, mostBytes: 8 * 1024 * 1024, mostRows: 500 };
/** Outcomes of versions that serve from now on, or go on. */
const GOOD: ReadonlySet<RunOutcome['kind']> = new Set(['live', 'passed']);

export async function concludeTools(tx: Db, verdict: ToolVerdict): Promise<void> {
  const { runId, version, outcome, seen, reason, areTools } = verdict;
  const isGood = GOOD.has(outcome) && reason === undefined;
  const verified = await lockVerified(tx, version.versionId);
  const candidate = await lockOfRun(tx, runId);
  if (!candidate) {
    if (!verified?.isTakenOver || verified.digest !== seen) return;
    if (isGood) await confirmTakenOver(tx, verified.listId, runId);
    else if (reason !== undefined) await moveList(tx, verified.listId, 'refused', reason);
    return;
  }
  if (outcome === 'superseded') return deleteList(tx, candidate.listId);
  if (isGood) {
    if (verified) await moveList(tx, verified.listId, 'replaced');
    await moveList(tx, candidate.listId, 'verified');
    if (areTools) await putToolWords(tx, version.versionId, toolWords(JSON.parse(candidate.tools) as Tool[]));
  } else await moveList(tx, candidate.listId, 'refused', reason ?? FAILED);
  if (verified) await announceChange(tx, version, { ...candidate, state: isGood ? 'verified' : 'refused' });
  await tidyLists(tx, version.agentId, KEPT);
}

const FAILED = 'The run that saw the list failed: see its report.';
