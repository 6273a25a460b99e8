/** A trust report as it comes over the wire (specification, "Trust report"; contract, "Trust"), and as people read it. */
import { STAGES, type Severity, SEVERITIES, type Stage } from '../domain/trust';

export interface TrustReport {
  agent_id: string;
  score: number;
  badge: string | null;
  rubric_version: string;
  verified_at: string;
  stages: Record<Stage, TrustStage>;
  summary: string;
  next_verification: string | null;
  version?: string;
}

interface TrustStage {
  score: number;
  max: number;
  /** 0 to 1. */
  coverage?: number;
  findings: TrustFinding[];
}

interface TrustFinding {
  finding_id?: string;
  severity: Severity;
  category: string;
  description: string;
  remediation: string;
  status: string;
}

const STAGE_NAMES: Record<Stage, string> = {
  static_analysis: 'static analysis',
  supply_chain: 'supply chain',
  dynamic_testing: 'dynamic testing',
  red_team: 'red team',
};

export function reportText(report: TrustReport): string {
  const badge = report.badge ? `badge ${report.badge}` : 'no badge';
  const stages = STAGES.map((stage) => stageLine(stage, report.stages[stage]));
  const findings = STAGES.flatMap((stage) => report.stages[stage].findings)
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
    .flatMap(findingLines);
  const next = report.next_verification ? `next verification by ${day(report.next_verification)}` : '';
  return [
    `${report.agent_id}${report.version ? ` ${report.version}` : ''}: ${report.score} of 100, ${badge}`,
    ...stages,
    ...(findings.length > 0 ? ['', ...findings] : []),
    '',
    report.summary,
    [`rubric ${report.rubric_version}, verified ${day(report.verified_at)}`, next]
      .filter((part) => part !== '')
      .join('; '),
  ].join('\n');
}

function stageLine(stage: Stage, { score, max, coverage }: TrustStage): string {
  const looked = coverage === undefined ? '' : `   looked at ${Math.round(coverage * 100)}%`;
  return `  ${STAGE_NAMES[stage].padEnd(16)} ${String(score).padStart(3)} / ${max}${looked}`;
}

function findingLines({ severity, category, description, remediation, status }: TrustFinding): string[] {
  const state = status === 'open' ? '' : ` (${status})`;
  return [`  ${severity.toUpperCase()} ${category}${state}: ${description}`, `    fix: ${remediation}`];
}

/** `2026-11-02` */
function day(timestamp: string): string {
  return timestamp.slice(0, 10);
}
