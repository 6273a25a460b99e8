import type { Rubric } from '../../domain/verification/rubric';
import { rubricChanges } from '../../domain/verification/rubric-diff';
import { type Badge, type Judgement, STAGES } from '../../domain/verification/trust';
import type { Db } from '../../stores/db';
import { readRubric } from '../../stores/verification/rubrics';
import { listNewestReports, readReport, type TrustReportRow } from '../../stores/verification/trust-reports';
import { readRunEvidence } from '../../stores/verification/verification-evidence';
import { readWaiversById } from '../../stores/verification/waivers';
import type { WaiverInEffect } from '../../verification/scoring/findings';
import { judge } from '../../verification/scoring/score';
import { evidenceHash, judgementText } from './run-conclusion';

export interface Replay {
  run_id: string;
  agent_id: string;
  rubric_version: string;
  score: number;
  evidence_sha256: string;
  /** True if the stored evidence is what was scored. */
  same_evidence: boolean;
  /** True if evidence and rubric give the same bytes again. */
  same_report: boolean;
}

/** Scores the stored evidence of a run again with the rubric of its report. Throws if the run has no report. */
export async function replayRun(db: Db, runId: string): Promise<Replay> {
  const report = await readReport(db, runId);
  if (!report) throw new Error(`run ${runId} has no report`);
  const rubric = await readRubric(db, report.rubricVersion);
  const evidence = await readRunEvidence(db, runId);
  if (!rubric || !evidence) throw new Error(`the evidence of run ${runId} is no longer stored`);
  const waivers = await waiversOf(db, report);
  return {
    run_id: runId,
    agent_id: report.agentId,
    rubric_version: report.rubricVersion,
    score: report.score,
    evidence_sha256: report.evidenceSha256,
    same_evidence: evidenceHash(evidence) === report.evidenceSha256,
    same_report: judgementText(evidence, rubric.document, waivers) === report.judgement,
  };
}

/** The waivers that held when the report was made. */
async function waiversOf(db: Db, { judgement }: TrustReportRow): Promise<WaiverInEffect[]> {
  const { stages } = JSON.parse(judgement) as Judgement;
  const findings = STAGES.flatMap((stage) => stages[stage].findings);
  return readWaiversById(
    db,
    findings.flatMap(({ waiver }) => waiver?.waiver_id ?? []),
  );
}

/** Score and badge of an agent's newest report under two rubrics. Badges are without the bond cap. */
export interface AgentUnderRubrics {
  agent_id: string;
  from: { score: number; badge: Badge | null };
  to: { score: number; badge: Badge | null };
}

const BATCH = 100;

/** Compares two rubrics: the changes of the documents, and their effect on every serving agent. */
export async function compareRubrics(db: Db, from: Rubric, to: Rubric) {
  const agents: AgentUnderRubrics[] = [];
  let rescored = 0;
  let afterAgent = '';
  for (;;) {
    const reports = await listNewestReports(db, { afterAgent, limit: BATCH });
    for (const report of reports) {
      const both = await rescore(db, report, from, to);
      rescored += both ? 1 : 0;
      if (both && (both.from.score !== both.to.score || both.from.badge !== both.to.badge)) agents.push(both);
    }
    afterAgent = reports.at(-1)?.agentId ?? '';
    if (reports.length < BATCH) break;
  }
  return { changes: rubricChanges(from, to), rescored, agents };
}

/** Returns undefined if the evidence is no longer stored. */
async function rescore(
  db: Db,
  report: TrustReportRow,
  from: Rubric,
  to: Rubric,
): Promise<AgentUnderRubrics | undefined> {
  const evidence = await readRunEvidence(db, report.runId);
  if (!evidence) return undefined;
  const waivers = await waiversOf(db, report);
  const short = ({ score, earned_badge: badge }: Judgement) => ({ score, badge });
  return {
    agent_id: report.agentId,
    from: short(judge(evidence, from, waivers)),
    to: short(judge(evidence, to, waivers)),
  };
}
