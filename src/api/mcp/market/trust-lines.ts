/** A trust report in at most ten lines, for a model that chooses an agent. */
import type { Listing } from '../../../services/catalogue/listings';
import type { TrustReports } from '../../../services/verification/trust-reports';

type Report = Awaited<ReturnType<TrustReports['newest']>>;
type Stages = Report['stages'];

const STAGE_WORDS: Record<keyof Stages, string> = {
  static_analysis: 'Static analysis of the code',
  supply_chain: 'Supply chain',
  dynamic_testing: 'Probes of the running agent',
  red_team: 'Attacks by a red team',
};
const SEVERITIES = ['critical', 'high', 'medium', 'low'];

const percent = (share: number) => `${Math.round(share * 100)} %`;

export function trustLines(report: Report | undefined, listing: Listing): string[] {
  const { invocations30d: calls, buyers30d: buyers, successRate, p50Ms } = listing;
  const use = [
    `Paid calls of the last 30 days: ${calls}${successRate === null ? `, too few buyers for a rate (${buyers})` : ''}`,
    ...(successRate === null ? [] : [`${percent(successRate)} succeeded`]),
    ...(p50Ms === null ? [] : [`median ${p50Ms} ms`]),
  ].join(', ');
  if (!report) return ['No verification of this agent has ended yet.', `${use}.`];
  const { score, badge, verified_at, rubric_version, latency, declarations, next_verification, tools } =
    report;
  return [
    `Trust score ${score} of 100, badge ${badge ?? 'none'}, verified ${verified_at} by rubric ${rubric_version}${tools ? `; ${tools.summary}` : ''}.`,
    ...Object.keys(STAGE_WORDS).map((name) => stageLine(report.stages, name as keyof Stages)),
    findingsLine(report.stages),
    declarations.length === 0
      ? 'No declaration of the developer was contradicted.'
      : `Contradicted declarations: ${declarations.map(({ declaration }) => declaration).join(', ')}.`,
    latency.p50_ms === null
      ? 'The probes measured no latency.'
      : `Latency in probes: median ${latency.p50_ms} ms, 95th percentile ${latency.p95_ms} ms.`,
    `Next verification: ${next_verification}.`,
    `${use}.`,
  ];
}

function stageLine(stages: Stages, name: keyof Stages): string {
  const { score, max, coverage } = stages[name];
  return `${STAGE_WORDS[name]}: ${score} of ${max} points; ${percent(coverage)} of the checks could be made.`;
}

function findingsLine(stages: Stages): string {
  const open = Object.values(stages)
    .flatMap(({ findings }) => findings)
    .filter(({ status }) => status !== 'resolved');
  const counts = SEVERITIES.map((severity) => ({
    severity,
    found: open.filter((finding) => finding.severity === severity),
  })).filter(({ found }) => found.length > 0);
  if (counts.length === 0) return 'No finding is open.';
  const words = counts.map(({ severity, found }) => {
    const categories = [...new Set(found.map(({ category }) => category))].slice(0, 3).join(', ');
    return `${found.length} ${severity} (${categories})`;
  });
  return `Open findings: ${words.join('; ')}.`;
}
