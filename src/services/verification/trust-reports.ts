import { toolTestsText, UNTESTED_TEXTS } from '../../domain/catalogue/tools/tool-tests';
import { badgeSvg } from '../../domain/verification/badge-svg';
import { MarketError } from '../../domain/errors';
import {
  type BadgeStep,
  badgeScale,
  type ScoreStep,
  scoreSteps,
} from '../../domain/verification/score-steps';
import { examinedText, readerTexts } from '../../domain/verification/reader-texts';
import { contradictedDeclarations } from '../../domain/verification/declarations';
import { type FindingStatus, mayOwnerMove } from '../../domain/verification/finding';
import {
  type Badge,
  BADGES,
  type JudgedFinding,
  type JudgedStage,
  type Judgement,
  type Stage,
  STAGE_MAX,
  STAGES,
} from '../../domain/verification/trust';
import { canonicalJson } from '../../kit/json/canonical-json';
import { signJws } from '../../kit/crypto/jws';
import type { AgentVisibility, Viewer } from '../../domain/catalogue/agent-state';
import { type AgentRow, readShownAgent } from '../../stores/catalogue/agents';
import { readBond } from '../../stores/bonds/bonds';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import {
  type FindingRow,
  listFindings,
  lockFinding,
  readFindings,
  setFindingStatus,
} from '../../stores/verification/findings';
import { listReports, readNewestReport, type TrustReportRow } from '../../stores/verification/trust-reports';
import { readOwnAgent } from '../catalogue/own-agent';
import { type FindingWithCases, withCases } from './finding-cases';
import { rubricInEffect } from './rubrics';
import type { SigningKey, SigningKeys } from '../evidence/signing-keys';

export type Finding = FindingWithCases;

/** How a developer's own agent is scored, and what would raise its score. */
export interface OwnScore {
  /** Null before the first run has ended. */
  version: string | null;
  score: number | null;
  /** By score and findings alone. */
  earnedBadge: Badge | null;
  /** What buyers see: the earned badge, limited by the bond. */
  badge: Badge | null;
  bondUnits: number;
  scale: BadgeStep[];
  /** The most points first. */
  steps: (ScoreStep & { findingId: string | null })[];
}

export interface FindingFilter {
  status?: FindingStatus | undefined;
  beforeId?: string | undefined;
  limit: number;
}

const NO_LATENCY = { p50_ms: null, p95_ms: null, p99_ms: null };

/** Trust reports and findings for buyers and owners (specification, "Trust report"; contract, "Trust"). */
export function createTrustReports(deps: { pool: DbPool; reads?: Db; keys: Pick<SigningKeys, 'active'> }) {
  const { pool, reads = pool } = deps;
  return {
    /** The newest report, signed. If no version serves: the newest report for the owner, `not_found` for others. */
    async newest(userId: string | undefined, agentId: string) {
      const { agent, isOwner } = await visible(pool, userId, agentId);
      const row = await readNewestReport(reads, agentId, { any: isOwner });
      if (!row)
        throw new MarketError('not_found', { message: 'No verification of this agent has ended yet.' });
      const badge = row.counts ? badgeOf(agent) : null;
      return toSigned(pool, await deps.keys.active(), { ...row, badge }, isOwner);
    },

    /** Newest first, with badges as they were. The owner also gets the reports of versions that never served. */
    async history(
      userId: string | undefined,
      agentId: string,
      page: { limit: number; beforeSequence?: string | undefined },
    ) {
      const { isOwner } = await visible(pool, userId, agentId);
      const { rows, total } = await listReports(reads, agentId, { any: isOwner, ...page });
      const key = await deps.keys.active();
      const signed = [];
      for (const row of rows)
        signed.push({ sequence: row.sequence, report: await toSigned(pool, key, row, isOwner) });
      return { rows: signed, total };
    },

    /** The badge as SVG. Throws `not_found` for agents that do not serve or are not shown to the viewer. */
    async badge(viewer: Viewer, agentId: string): Promise<{ svg: string; visibility: AgentVisibility }> {
      const agent = await readShownAgent(pool, agentId, viewer);
      if (!agent || !isServing(agent)) throw new MarketError('not_found');
      const report = await readNewestReport(reads, agentId, { any: false });
      const examined = report ? examinedIn(JSON.parse(report.judgement) as Judgement) : null;
      const svg = badgeSvg(badgeOf(agent), agent.trustScore, examined?.text);
      return { svg, visibility: agent.visibility };
    },

    /**
     * The newest score of an agent with what would raise it: of the version that serves, else of the newest one. Throws
     * `not_found` for the agents of others.
     */
    ownScore: async (userId: string, agentId: string): Promise<OwnScore> =>
      scoreOf(pool, await readOwnAgent(pool, userId, agentId)),

    /** The findings in an agent, newest first. Throws `not_found` for everybody but its owner. */
    async findings(userId: string, agentId: string, page: FindingFilter) {
      await readOwnAgent(pool, userId, agentId);
      const { rows, total } = await listFindings(pool, agentId, page);
      return { rows: await withCases(pool, rows), total };
    },

    /** Marks an open finding as acknowledged. Throws `invalid_state` when it is not open. */
    acknowledge: (userId: string, agentId: string, findingId: string): Promise<Finding> =>
      withTransaction(pool, async (tx) => {
        await readOwnAgent(tx, userId, agentId);
        const finding = await lockFinding(tx, agentId, findingId);
        if (!finding) throw new MarketError('not_found');
        if (!mayOwnerMove(finding.status, 'acknowledged')) throw new MarketError('invalid_state');
        await setFindingStatus(tx, findingId, 'acknowledged');
        const [acknowledged] = await withCases(tx, [{ ...finding, status: 'acknowledged' }]);
        if (!acknowledged) throw new Error('a finding has cases');
        return acknowledged;
      }),
  };
}

export type TrustReports = ReturnType<typeof createTrustReports>;

/** A serving agent is visible to those whom it is shown to, any agent to its owner. Throws `not_found` otherwise. */
async function visible(db: Db, userId: string | undefined, agentId: string) {
  const agent = await readShownAgent(db, agentId, userId);
  const isOwner = userId !== undefined && agent?.developerUserId === userId;
  if (!agent || (!isOwner && !isServing(agent))) throw new MarketError('not_found');
  return { agent, isOwner };
}

function isServing(agent: AgentRow): boolean {
  return agent.status === 'active' && agent.servingVersionId !== null;
}

function badgeOf({ badge }: AgentRow): Badge | null {
  return BADGES.find((name) => name === badge) ?? null;
}

async function scoreOf(pool: DbPool, agent: AgentRow): Promise<OwnScore> {
  const { agentId, developerUserId } = agent;
  const { bondUnits } = await readBond(pool, developerUserId);
  const report = await readNewestReport(pool, agentId, { any: true });
  const score = report?.score ?? null;
  const steps = report ? scoreSteps(readerTexts(JSON.parse(report.judgement) as Judgement, true)) : [];
  const prints = steps.flatMap(({ fingerprint }) => fingerprint ?? []);
  const known = await readFindings(pool, agentId, report?.counts ? 'serving' : 'candidate', prints);
  return {
    version: report?.version ?? null,
    score,
    earnedBadge: report?.earnedBadge ?? null,
    badge: report?.counts ? badgeOf(agent) : null,
    bondUnits,
    scale: badgeScale(await rubricInEffect(pool), { score, bondUnits }),
    steps: steps.map((step) => ({
      ...step,
      findingId: known.get(step.fingerprint ?? '')?.findingId ?? null,
    })),
  };
}

async function toSigned(db: Db, key: SigningKey, row: TrustReportRow, isOwner: boolean) {
  const report = readerTexts(await toReport(db, row), isOwner);
  const header = { typ: 'trust-report+jws', agent_id: row.agentId };
  return { ...report, signature: signJws(canonicalJson(report), key, header) };
}

async function toReport(db: Db, row: TrustReportRow) {
  const judgement = JSON.parse(row.judgement) as Judgement;
  const prints = STAGES.flatMap((stage) => judgement.stages[stage].findings.map((f) => f.fingerprint));
  const line = row.counts ? 'serving' : 'candidate';
  const known = await readFindings(db, row.agentId, line, prints);
  const stage = (name: Stage) => ({ ...toStage(name, judgement.stages[name], known), max: STAGE_MAX[name] });
  return {
    agent_id: row.agentId,
    version: row.version,
    run_id: row.runId,
    score: row.score,
    badge: row.badge,
    rubric_version: row.rubricVersion,
    verified_at: row.verifiedAt.toISOString(),
    stages: {
      static_analysis: stage('static_analysis'),
      supply_chain: stage('supply_chain'),
      dynamic_testing: stage('dynamic_testing'),
      red_team: stage('red_team'),
    },
    examined: examinedIn(judgement),
    ceiling: judgement.ceiling,
    advisories: judgement.advisories,
    summary: judgement.summary,
    next_verification: row.nextVerificationAt.toISOString(),
    data_handling: toAudit(judgement, row),
    latency: { ...(judgement.latency ?? NO_LATENCY), jobs: judgement.latency?.jobs ?? null },
    tools: toolsOf(judgement),
    declarations: contradictedDeclarations(judgement).map(([declaration, fingerprints]) => ({
      declaration,
      contradicted_by: fingerprints.flatMap((one) => known.get(one)?.findingId ?? []),
    })),
    serves: row.counts,
  };
}

function toolsOf({ tools: tests }: Judgement) {
  if (!tests) return null;
  const tools = tests.tools.map(({ name, calls, answered, why }) => ({
    ...{ name, calls, answered, reason: why ?? null },
    why: why === undefined ? null : UNTESTED_TEXTS[why],
  }));
  return { total: tests.total, tested: tests.tested, summary: toolTestsText(tests), tools };
}

/** What was examined of the behaviour; null in reports by rubrics before 2026.2. */
function examinedIn({ examined, tools }: Judgement) {
  if (!examined) return null;
  const { checked, right } = examined;
  return { answers_checked: checked, answers_right: right, text: examinedText(examined, tools) };
}

function toStage(name: Stage, judged: JudgedStage, known: ReadonlyMap<string, FindingRow>) {
  const missing = Object.entries(judged.checks).filter(([, { coverage }]) => coverage < 1);
  return {
    score: judged.score,
    max: judged.max,
    coverage: judged.coverage,
    not_looked_at: missing.map(([check, { coverage, gaps }]) => ({ check, coverage, reasons: gaps })),
    findings: judged.findings.map((finding) => toFinding(name, finding, known)),
  };
}

function toFinding(stage: Stage, judged: JudgedFinding, known: ReadonlyMap<string, FindingRow>) {
  const { fingerprint, severity, category, description, risk, remediation, place, waiver } = judged;
  const row = known.get(fingerprint);
  if (!row) throw new Error(`a finding of ${stage} was not recorded`);
  return {
    finding_id: row.findingId,
    severity,
    category,
    description,
    risk,
    remediation,
    file: place?.path ?? null,
    line: place?.line ?? null,
    invocation_id: judged.invocation_id,
    points_lost: judged.points_lost,
    waiver: waiver && { reason: waiver.reason, expires_at: waiver.expires_at },
    status: row.status,
    stage,
    first_seen_at: row.firstSeenAt.toISOString(),
  };
}

function toAudit({ data_handling: audit }: Judgement, { dataHandling: declared }: TrustReportRow) {
  return {
    pii_processed: { declared: declared.pii_processed, ...audit.pii_processed },
    subprocessors: { declared: declared.subprocessors, ...audit.subprocessors },
    residency: { declared: declared.residency, ...audit.residency },
    data_retention_days: { declared: declared.data_retention_days, ...audit.data_retention_days },
  };
}
