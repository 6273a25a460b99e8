import { badgeSvg } from '../../domain/verification/badge-svg';
import { MarketError } from '../../domain/errors';
import { type FindingStatus, mayOwnerMove } from '../../domain/verification/finding';
import {
  type Badge,
  BADGES,
  type JudgedStage,
  type Judgement,
  type Stage,
  STAGES,
} from '../../domain/verification/trust';
import { canonicalJson } from '../../kit/json/canonical-json';
import { decodeCursor, encodeCursor } from '../../kit/ids/cursor';
import { signJws } from '../../kit/crypto/jws';
import { type AgentRow, readAgent } from '../../stores/catalogue/agents';
import { type Db, type DbPool, withTransaction } from '../../stores/db';
import {
  type FindingRow,
  listFindings,
  lockFinding,
  readFindings,
  setFindingStatus,
} from '../../stores/verification/findings';
import { listReports, readNewestReport, type TrustReportRow } from '../../stores/verification/trust-reports';
import type { SigningKey, SigningKeys } from '../evidence/signing-keys';

export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

const REPORT_POSITION = [/^[0-9]{1,18}$/];
const FINDING_POSITION = [/^fnd_[0-9a-f]{32}$/];

/** Trust reports and findings as buyers and owners see them (specification, "Trust report"; contract, "Trust"). */
export function createTrustReports(deps: { pool: DbPool; keys: Pick<SigningKeys, 'active'> }) {
  const { pool } = deps;
  return {
    /** Signed as it is now. 404 where nothing serves; the owner then gets the newest report there is. */
    async newest(userId: string, agentId: string) {
      const { agent, isOwner } = await visible(pool, userId, agentId);
      const row = await readNewestReport(pool, agentId, { any: isOwner });
      if (!row) throw new MarketError('not_found', { message: 'No verification has ended yet.' });
      const badge = row.counts ? badgeOf(agent) : null;
      return toSigned(pool, await deps.keys.active(), { ...row, badge });
    },

    /** Newest first, with badges as they were. */
    async history(userId: string, agentId: string, page: PageRequest) {
      const { isOwner } = await visible(pool, userId, agentId);
      const scope = `trust-reports/${agentId}/${isOwner}`;
      const beforeSequence = readPosition(scope, page.cursor, REPORT_POSITION);
      const { rows, total } = await listReports(pool, agentId, {
        any: isOwner,
        limit: page.limit + 1,
        beforeSequence,
      });
      const key = await deps.keys.active();
      const shown = rows.slice(0, page.limit);
      const items = [];
      for (const row of shown) items.push(await toSigned(pool, key, row));
      const last = rows.length > page.limit ? shown.at(-1) : undefined;
      return { items, next_cursor: last ? encodeCursor(scope, [last.sequence]) : null, total };
    },

    /** For everybody. 404 for agents that nobody but their owner sees. */
    async badge(agentId: string): Promise<string> {
      const agent = await readAgent(pool, agentId);
      if (!agent || !isPublic(agent)) throw new MarketError('not_found');
      return badgeSvg(badgeOf(agent), agent.trustScore);
    },

    /** The owner's, newest first; 404 to others. */
    async findings(
      userId: string,
      agentId: string,
      page: PageRequest & { status?: FindingStatus | undefined },
    ) {
      await requireOwner(pool, userId, agentId);
      const scope = `findings/${agentId}/${page.status ?? ''}`;
      const beforeId = readPosition(scope, page.cursor, FINDING_POSITION);
      const { status, limit } = page;
      const { rows, total } = await listFindings(pool, agentId, { status, limit: limit + 1, beforeId });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return {
        items: shown.map(toOwnFinding),
        next_cursor: last ? encodeCursor(scope, [last.findingId]) : null,
        total,
      };
    },

    /** 409 `invalid_state` unless it is open. */
    acknowledge: (userId: string, agentId: string, findingId: string) =>
      withTransaction(pool, async (tx) => {
        await requireOwner(tx, userId, agentId);
        const finding = await lockFinding(tx, agentId, findingId);
        if (!finding) throw new MarketError('not_found');
        if (!mayOwnerMove(finding.status, 'acknowledged')) throw new MarketError('invalid_state');
        await setFindingStatus(tx, findingId, 'acknowledged');
        return toOwnFinding({ ...finding, status: 'acknowledged' });
      }),
  };
}

export type TrustReports = ReturnType<typeof createTrustReports>;

async function requireOwner(db: Db, userId: string, agentId: string): Promise<void> {
  const agent = await readAgent(db, agentId);
  if (agent?.developerUserId !== userId) throw new MarketError('not_found');
}

/** An agent that serves is seen by everybody, any agent by its owner; 404 else. */
async function visible(db: Db, userId: string, agentId: string) {
  const agent = await readAgent(db, agentId);
  const isOwner = agent?.developerUserId === userId;
  if (!agent || (!isOwner && !isPublic(agent))) throw new MarketError('not_found');
  return { agent, isOwner };
}

function isPublic(agent: AgentRow): boolean {
  return agent.status === 'active' && agent.servingVersionId !== null;
}

function badgeOf({ badge }: AgentRow): Badge | null {
  return BADGES.find((name) => name === badge) ?? null;
}

async function toSigned(db: Db, key: SigningKey, row: TrustReportRow) {
  const report = await toReport(db, row);
  const header = { typ: 'trust-report+jws', agent_id: row.agentId };
  return { ...report, signature: signJws(canonicalJson(report), key, header) };
}

async function toReport(db: Db, row: TrustReportRow) {
  const judgement = JSON.parse(row.judgement) as Judgement;
  const prints = STAGES.flatMap((stage) => judgement.stages[stage].findings.map((f) => f.fingerprint));
  const line = row.counts ? 'serving' : 'candidate';
  const known = await readFindings(db, row.agentId, line, prints);
  const stage = (name: Stage) => toStage(name, judgement.stages[name], known);
  return {
    agent_id: row.agentId,
    version: row.version,
    run_id: row.runId,
    score: row.score,
    badge: row.badge,
    rubric_version: row.rubricVersion,
    verified_at: row.verifiedAt.toISOString(),
    stages: {
      static_analysis: { ...stage('static_analysis'), max: 25 as const },
      supply_chain: { ...stage('supply_chain'), max: 25 as const },
      dynamic_testing: { ...stage('dynamic_testing'), max: 30 as const },
      red_team: { ...stage('red_team'), max: 20 as const },
    },
    summary: judgement.summary,
    next_verification: row.nextVerificationAt.toISOString(),
    data_handling: toAudit(judgement, row),
    serves: row.counts,
  };
}

function toStage(name: Stage, judged: JudgedStage, known: ReadonlyMap<string, FindingRow>) {
  const missing = Object.entries(judged.checks).filter(([, { coverage }]) => coverage < 1);
  return {
    score: judged.score,
    max: judged.max,
    coverage: judged.coverage,
    not_looked_at: missing.map(([check, { coverage, gaps }]) => ({ check, coverage, reasons: gaps })),
    findings: judged.findings.map(({ fingerprint, severity, category, description, remediation }) => {
      const row = known.get(fingerprint);
      if (!row) throw new Error(`a finding of ${name} was not recorded`);
      const { findingId, status, firstSeenAt } = row;
      return {
        finding_id: findingId,
        severity,
        category,
        description,
        remediation,
        status,
        stage: name,
        first_seen_at: firstSeenAt.toISOString(),
      };
    }),
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

function toOwnFinding(row: FindingRow) {
  return {
    finding_id: row.findingId,
    severity: row.severity,
    category: row.category,
    description: row.description,
    remediation: row.remediation,
    status: row.status,
    stage: row.stage,
    first_seen_at: row.firstSeenAt.toISOString(),
    serves: row.line === 'serving',
  };
}

function readPosition(
  scope: string,
  cursor: string | undefined,
  patterns: readonly RegExp[],
): string | undefined {
  if (cursor === undefined) return undefined;
  const [position] = decodeCursor(scope, cursor, patterns) ?? [];
  if (position !== undefined) return position;
  const detail = [{ loc: ['query', 'cursor'], msg: 'is not a cursor of this list', type: 'cursor' }];
  throw new MarketError('validation_failed', { detail });
}
