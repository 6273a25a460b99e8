/** Formats a trust report (specification, "Trust report") for people. */
import { pointsText, roundedPoints } from './points';
import type { Static } from '@sinclair/typebox';
import type { Finding, TrustReport as ReportSchema } from '../../contract/trust';
import { STAGES, SEVERITIES, type Stage } from '../../domain/verification/trust';
import { forTerminal } from './terminal-text';

export type TrustReport = Static<typeof ReportSchema>;

const STAGE_NAMES: Record<Stage, string> = {
  static_analysis: 'static analysis',
  supply_chain: 'supply chain',
  dynamic_testing: 'dynamic testing',
  red_team: 'red team',
};

export function reportText(report: TrustReport): string {
  const { score, examined, rubric_version: rubric, verified_at: at, next_verification: next } = report;
  const badge = report.badge ? `badge ${report.badge}` : 'no badge';
  const stages = STAGES.map((stage) => stageLine(stage, report.stages[stage]));
  const findings = STAGES.flatMap((stage) => report.stages[stage].findings)
    .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
    .flatMap(findingLines);
  const lines = [
    `${report.agent_id} ${report.version}: ${score} of 100, ${badge}${examined ? ` (${examined.text})` : ''}`,
    ...stages,
    ...(findings.length > 0 ? ['', ...findings] : []),
    '',
    report.summary,
    ...declarationLines(report),
    latencyText(report),
    ...toolLines(report),
    advisoryText(report),
    `rubric ${rubric}, verified ${day(at)}, next verification by ${day(next)}`,
  ];
  return forTerminal(lines.join('\n'));
}

function declarationLines({ declarations }: TrustReport): string[] {
  return declarations.map(
    ({ declaration, contradicted_by: by }) => `declared, but contradicted: ${declaration} (${by.join(', ')})`,
  );
}

function latencyText({ latency: { p50_ms, p95_ms, p99_ms, jobs } }: TrustReport): string {
  if (p50_ms === null) return 'latency: no probe was answered';
  const calls = `latency: p50 ${p50_ms} ms, p95 ${p95_ms ?? '?'} ms, p99 ${p99_ms ?? '?'} ms`;
  if (!jobs) return calls;
  const { count, p50_ms: p50, p95_ms: p95 } = jobs;
  return `${calls}\njobs: ${count} of the probes answered, p50 ${p50 ?? '?'} ms, p95 ${p95 ?? '?'} ms`;
}

function toolLines({ tools: tests }: TrustReport): string[] {
  if (!tests) return [];
  const left = tests.tools.flatMap(({ name, why }) => (why === null ? [] : `  ${name}: ${why}`));
  return [`tools: ${tests.summary}`, ...left];
}

function advisoryText({ advisories }: TrustReport): string {
  const dates = advisories.map(({ ecosystem, date }) => `${ecosystem} until ${day(date)}`);
  return `advisories: ${dates.join(', ') || 'none used'}`;
}

function stageLine(
  stage: Stage,
  { score, max, coverage, not_looked_at }: TrustReport['stages'][Stage],
): string {
  const missed = not_looked_at.map(({ check }) => check.replaceAll('_', ' ')).join(', ');
  const points = `${roundedPoints(score).padStart(4)} / ${max}`;
  const looked = `checked ${Math.round(coverage * 100)}%${missed === '' ? '' : `; not checked, or not fully: ${missed}`}`;
  return `  ${STAGE_NAMES[stage].padEnd(16)} ${points}   ${looked}`;
}

function findingLines(finding: Static<typeof Finding>): string[] {
  const { severity, category, description, remediation, risk, status, points_lost: lost, waiver } = finding;
  const state = status === 'open' ? '' : ` (${status})`;
  const cost = waiver ? `waived until ${day(waiver.expires_at)}: ${waiver.reason}` : pointsText(lost);
  return [
    `  ${severity.toUpperCase()} ${category}${state}: ${description}`,
    `    risk: ${risk}`,
    `    fix: ${remediation}`,
    `    costs: ${cost}`,
  ];
}

/** `2026-11-02` */
function day(timestamp: string): string {
  return timestamp.slice(0, 10);
}
