/**
 * Concludes a verification run: scores the evidence with the rubric in effect, opens and resolves findings, makes a new
 * version live or rejects it, and updates the agent's listing. All of this is one transaction under the agent's lock.
 * Idempotent.
 */
import { OWNED_BY_OTHERS } from '../../domain/catalogue/ownership';
import { flawReason, type ToolFlaw } from '../../domain/catalogue/tools/tool-flaws';
import { GAP_TEXTS } from '../../domain/verification/gap-texts';
import type { RunEvidence } from '../../domain/verification/probe-facts';
import { rejectAdvice } from '../../domain/verification/reject-advice';
import type { Rubric } from '../../domain/verification/rubric';
import { type JudgedFinding, type Judgement, STAGES, worstFirst } from '../../domain/verification/trust';
import { REVERIFY_AFTER_DAYS, type RunOutcome } from '../../domain/verification/verification';
import { canonicalJson, sha256Hex } from '../../kit/json/canonical-json';
import { newId } from '../../kit/ids/ids';
import {
  moveVersion,
  readHighestIn,
  readVersionById,
  supersedeOthers,
  type VersionRow,
} from '../../stores/catalogue/agent-versions';
import { type AgentRow, lockAgent, refreshStanding } from '../../stores/catalogue/agents';
import type { Db } from '../../stores/db';
import { recordFindings, resolveUnseen, type SeenFinding } from '../../stores/verification/findings';
import { recordEvent } from '../../stores/webhooks/outbox';
import { insertReport, readReport, type TrustReportRow } from '../../stores/verification/trust-reports';
import { finishRun } from '../../stores/verification/verification-runs';
import { readWaiversInEffect } from '../../stores/verification/waivers';
import type { WaiverInEffect } from '../../verification/scoring/findings';
import { judge } from '../../verification/scoring/score';
import { listingFlaws } from '../../verification/tools/listing-scan';
import { readDocument } from '../../stores/verification/verification-evidence';
import { concludeTools } from '../mcp/notary/tool-verdicts';
import { putInService } from '../prices/price-rises';
import { rubricInEffect } from './rubrics';

export interface RunToConclude {
  runId: string;
  agentId: string;
  versionId: string;
  evidence: RunEvidence;
}

export interface ConcludedRun {
  outcome: RunOutcome;
  report: TrustReportRow;
}

const MAX_REASON = 1_000;
const UNPROVEN = 'ownership_unproven';

/** The judgement of evidence in stored form. The same evidence, rubric and waivers give the same bytes. */
export function judgementText(
  evidence: RunEvidence,
  rubric: Rubric,
  waivers: readonly WaiverInEffect[],
): string {
  return canonicalJson(judge(evidence, rubric, waivers));
}

/** The flaws of what buyers read of a registered agent (ADR 0417). Manifests are not concerned. */
async function readListingFlaws(tx: Db, { kind }: AgentRow, versionId: string): Promise<ToolFlaw[]> {
  const document = kind === 'manifest' ? undefined : await readDocument(tx, versionId);
  return document ? listingFlaws(document) : [];
}

/** No badge without a proof of the host, whatever the score is (ADR 0416). */
function badgeWithProof(
  { earned_badge: earned }: Judgement,
  { dynamic }: RunEvidence,
): Judgement['earned_badge'] {
  return dynamic.ownership?.proven === false ? null : earned;
}

export function evidenceHash(evidence: RunEvidence): string {
  return sha256Hex(canonicalJson(evidence));
}

/** `priceNoticeMs`: how long a higher price waits. */
export async function concludeRun(tx: Db, run: RunToConclude, priceNoticeMs: number): Promise<ConcludedRun> {
  const { runId, agentId, versionId, evidence } = run;
  const agent = await lockAgent(tx, agentId);
  const version = await readVersionById(tx, versionId);
  if (!agent || !version) throw new Error(`run ${runId} has lost its version`);
  const before = await readReport(tx, runId);
  if (before) return { outcome: outcomeOf(agent, version, failureOf(parse(before))), report: before };

  const rubric = await rubricInEffect(tx);
  const text = judgementText(evidence, rubric, await readWaiversInEffect(tx, agentId));
  const judgement = JSON.parse(text) as Judgement;
  const critical = withAdvice(failureOf(judgement), evidence, agent);
  const ofListing = await readListingFlaws(tx, agent, versionId);
  const isServer = agent.kind === 'mcp';
  const ofTools = evidence.dynamic.tools?.flaws ?? [];
  const refused = flawReason([...ofTools, ...ofListing]);
  const ofOthers = evidence.dynamic.ownership?.ofOthers ? OWNED_BY_OTHERS : undefined;
  const failure =
    ofOthers ?? critical ?? (version.state === 'verifying' ? (neverCalled(evidence) ?? refused) : undefined);
  const outcome = await settle(tx, agent, version, { failure, priceNoticeMs });
  await concludeTools(tx, {
    runId,
    version: { agentId, versionId, developerUserId: agent.developerUserId },
    outcome: outcome.kind,
    seen: isServer ? evidence.dynamic.tools?.digest : undefined,
    reason: isServer ? flawReason(ofTools) : refused,
    areTools: isServer,
  });
  const counts = ['live', 'passed', 'failed'].includes(outcome.kind);
  await finishRun(tx, runId, failure === undefined ? 'passed' : 'failed', failure ?? judgement.summary);
  await insertReport(tx, {
    runId,
    agentId,
    versionId,
    rubricVersion: rubric.version,
    evidenceSha256: evidenceHash(evidence),
    judgement: text,
    score: judgement.score,
    earnedBadge: badgeWithProof(judgement, evidence),
    hasCritical: critical !== undefined || ofOthers !== undefined,
    counts,
    nextAfterDays: REVERIFY_AFTER_DAYS,
  });
  await recordFindings(tx, { runId, agentId, line: counts ? 'serving' : 'candidate' }, seenIn(judgement));
  if (counts) await resolveUnseen(tx, { runId, agentId, line: 'candidate' });
  await refreshStanding(tx, agentId);
  const report = await readReport(tx, runId);
  if (!report) throw new Error(`the report of run ${runId} was lost`);
  await tellOwner(tx, agent, report, outcome);
  return { outcome, report };
}

function parse({ judgement }: TrustReportRow): Judgement {
  return JSON.parse(judgement) as Judgement;
}

/** Why a version must not go live: its critical findings that are not waived. Undefined if there are none. */
function failureOf({ stages }: Judgement): string | undefined {
  const critical = STAGES.flatMap((stage) => stages[stage].findings).filter(isCritical);
  if (critical.length === 0) return undefined;
  return critical
    .map(({ description }) => description)
    .join(' ')
    .slice(0, MAX_REASON);
}

/** The reason with what the owner can do about the failed probe; the advice stays when the reason is cut. */
function withAdvice(
  reason: string | undefined,
  { dynamic: { conformance } }: RunEvidence,
  { agentId, kind }: AgentRow,
): string | undefined {
  const advice = rejectAdvice(conformance.probes, { agentId, isSelfHosted: kind !== 'manifest' });
  if (reason === undefined || advice === '') return reason;
  const kept = reason.slice(0, MAX_REASON - advice.length - 2);
  return `${kept.replace(/\.?$/, '.')} ${advice}`;
}

/**
 * Why a version that was never called must not go live: its host has no proof of ownership (ADR 0208). This is no
 * finding, and a version that serves goes on serving. Undefined if it was called.
 */
function neverCalled({ dynamic: { conformance } }: RunEvidence): string | undefined {
  const isUnproven = conformance.coverage.gaps.some(({ code }) => code === UNPROVEN);
  if (!isUnproven || conformance.probes.length > 0) return undefined;
  const { why, remedy } = GAP_TEXTS[UNPROVEN];
  return `The version was not called: ${why} ${remedy}`;
}

function isCritical({ severity, waiver }: JudgedFinding): boolean {
  return severity === 'critical' && waiver === null;
}

/** The findings of a run. The worst one gets the newest id, because lists show the newest first. */
function seenIn({ stages }: Judgement): SeenFinding[] {
  const found = STAGES.flatMap((stage) => stages[stage].findings.map((finding) => ({ ...finding, stage })));
  return found
    .sort((a, b) => worstFirst(b.severity, a.severity))
    .map(({ invocation_id: invocationId, points_lost: pointsLost, waiver, ...finding }) => ({
      ...finding,
      findingId: newId('fnd'),
      invocationId,
      pointsLost,
      waiverId: waiver?.waiver_id ?? null,
    }));
}

/** Applies the result of a run to its version, under the agent's lock. */
async function settle(
  tx: Db,
  agent: AgentRow,
  version: VersionRow,
  { failure, priceNoticeMs }: { failure: string | undefined; priceNoticeMs: number },
): Promise<RunOutcome> {
  const { versionId, agentId } = version;
  if (version.state !== 'verifying') return outcomeOf(agent, version, failure);
  const newer = await readHighestIn(tx, agentId, ['submitted']);
  if (newer || agent.status === 'retired') {
    await moveVersion(tx, versionId, ['verifying'], 'superseded');
    return { kind: 'superseded' };
  }
  if (failure !== undefined) {
    await moveVersion(tx, versionId, ['verifying'], 'rejected', failure);
    return { kind: 'rejected' };
  }
  await moveVersion(tx, versionId, ['verifying'], 'verified');
  await supersedeOthers(tx, agentId, ['live'], versionId);
  await moveVersion(tx, versionId, ['verified'], 'live');
  await putInService(tx, agentId, versionId, priceNoticeMs);
  return { kind: 'live' };
}

/** The outcome of a run of the serving version, or of a repeated call for a run. */
function outcomeOf(agent: AgentRow, version: VersionRow, failure: string | undefined): RunOutcome {
  if (version.state === 'rejected' || version.state === 'superseded') return { kind: version.state };
  if (version.versionId !== agent.servingVersionId) return { kind: 'superseded' };
  return { kind: failure === undefined ? 'passed' : 'failed' };
}

async function tellOwner(
  tx: Db,
  agent: AgentRow,
  report: TrustReportRow,
  { kind }: RunOutcome,
): Promise<void> {
  await recordEvent(tx, {
    type: 'agent.verification_completed',
    data: {
      agent_id: agent.agentId,
      slug: agent.slug,
      version: report.version,
      run_id: report.runId,
      outcome: kind,
      score: report.score,
      badge: report.badge,
      rubric_version: report.rubricVersion,
      verified_at: report.verifiedAt.toISOString(),
    },
    audience: { userIds: [agent.developerUserId], agentId: agent.agentId },
  });
}
