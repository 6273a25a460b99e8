/**
 * Judges evidence by a rubric. A pure function without clock or randomness that calculates with integers only
 * (thousandths of points), so the same evidence and rubric always give the same bytes. Items that could not be
 * inspected earn no points and are not findings.
 */
import type { BundleEvidence, CheckCoverage } from '../../domain/evidence/evidence-facts';
import type { DynamicEvidence, RedTeamEvidence, RunEvidence } from '../../domain/verification/probe-facts';
import { type CHECKS, type Rubric, RULES } from '../../domain/verification/rubric';
import {
  type AuditResult,
  type Badge,
  BADGES,
  type DataHandlingAudit,
  type JudgedCheck,
  type JudgedFinding,
  type JudgedStage,
  type Judgement,
  SEVERITIES,
  type Stage,
  STAGE_MAX,
  STAGES,
  worstFirst,
} from '../../domain/verification/trust';
import { toStorable } from '../../domain/storable';
import type { Observation } from './observations';
import { observeStatic, observeSupplyChain } from './observe-bundle';
import { observeDynamic, observeRedTeam } from './observe-probes';

const THOUSAND = 1_000;

/** Coverage of a check. `earned` limits the items that earn points; default: all inspected items. */
type Looked = CheckCoverage & { earned?: number };
type Coverages = { [S in Stage]: Record<(typeof CHECKS)[S][number], Looked> };

/** Applies the rubric to the evidence. */
export function judge(evidence: RunEvidence, rubric: Rubric): Judgement {
  const coverages = coveragesOf(evidence);
  const findings = observe(evidence, rubric).map((observation) => ({
    stage: RULES[observation.rule],
    finding: toFinding(observation, rubric),
  }));
  const stages = {} as Record<Stage, JudgedStage>;
  for (const stage of STAGES) {
    const own = findings.filter((found) => found.stage === stage).map(({ finding }) => finding);
    stages[stage] = judgeStage(stage, coverages[stage], own, rubric);
  }
  const score = STAGES.reduce((sum, stage) => sum + stages[stage].score, 0);
  const all = STAGES.flatMap((stage) => stages[stage].findings);
  const earned = earnedBadge(score, all, rubric);
  return {
    rubric_version: rubric.version,
    score,
    earned_badge: earned,
    stages,
    summary: summarise(score, all, stages),
    data_handling: audit(evidence),
  };
}

/** Applies the rubric to the stages that need no endpoint, as a run does. */
export function judgeBundle(
  evidence: BundleEvidence,
  rubric: Rubric,
): Record<'static_analysis' | 'supply_chain', JudgedStage> {
  const code = observeStatic(evidence.static, rubric.limits).map((seen) => toFinding(seen, rubric));
  const packages = observeSupplyChain(evidence.supplyChain, rubric.limits).map((seen) =>
    toFinding(seen, rubric),
  );
  return {
    static_analysis: judgeStage('static_analysis', staticCoverages(evidence.static), code, rubric),
    supply_chain: judgeStage('supply_chain', supplyCoverages(evidence.supplyChain), packages, rubric),
  };
}

function observe(evidence: RunEvidence, { limits }: Rubric): Observation[] {
  return [
    ...observeStatic(evidence.static, limits),
    ...observeSupplyChain(evidence.supplyChain, limits),
    ...observeDynamic(evidence.dynamic, limits),
    ...observeRedTeam(evidence.redTeam, evidence.dynamic.behaviour, limits),
  ];
}

function staticCoverages(code: RunEvidence['static']): Coverages['static_analysis'] {
  return {
    secrets: code.secrets.coverage,
    vulnerabilities: code.vulnerabilities.coverage,
    quality: code.quality.coverage,
    completeness: code.completeness.coverage,
    hosts: code.completeness.hosts,
  };
}

function supplyCoverages(supplyChain: RunEvidence['supplyChain']): Coverages['supply_chain'] {
  return {
    lockfiles: supplyChain.lockfiles.coverage,
    pinning: supplyChain.pinning.coverage,
    dependencies: supplyChain.dependencies.coverage,
    malicious: supplyChain.malicious.coverage,
    licences: supplyChain.licences.coverage,
    install_scripts: supplyChain.installScripts.coverage,
  };
}

/** Collects the coverage of each check. */
function coveragesOf({ static: code, supplyChain, dynamic, redTeam }: RunEvidence): Coverages {
  return {
    static_analysis: staticCoverages(code),
    supply_chain: supplyCoverages(supplyChain),
    dynamic_testing: {
      conformance: conforming(dynamic.conformance),
      latency: dynamic.latency.coverage,
      invalid_input: dynamic.invalidInput.coverage,
      response_size: dynamic.responseSize.coverage,
      promises: promises(dynamic),
      data_handling: dynamic.dataHandling.coverage,
    },
    red_team: attacks(redTeam),
  };
}

/** Conformance points are earned by answers that conform at the first try, not by calls. */
function conforming({ coverage, probes }: DynamicEvidence['conformance']): Looked {
  const atOnce = probes.filter(({ code, tries }) => code === 'conforms' && tries === 1).length;
  return { ...coverage, earned: Math.floor((atOnce * coverage.looked) / Math.max(1, probes.length)) };
}

/**
 * Idempotency, streaming and tools, where declared. Agents that declare none of them get full points for this check.
 */
function promises({ idempotency, streaming, tools }: DynamicEvidence): CheckCoverage {
  const declared = [idempotency, streaming, tools].flatMap((facts) => (facts ? [facts.coverage] : []));
  if (declared.length === 0) return { wanted: 1, looked: 1, gaps: [] };
  return {
    wanted: declared.reduce((sum, { wanted }) => sum + wanted, 0),
    looked: declared.reduce((sum, { looked }) => sum + looked, 0),
    gaps: declared.flatMap(({ gaps }) => gaps),
  };
}

function attacks({ attacks: made }: RedTeamEvidence): Coverages['red_team'] {
  const none: CheckCoverage = { wanted: 1, looked: 0, gaps: [] };
  const of = (category: string) => made.find((attack) => attack.category === category)?.coverage ?? none;
  return {
    prompt_injection: of('prompt_injection'),
    data_exfiltration: of('data_exfiltration'),
    jailbreak: of('jailbreak'),
    cross_tenant_leakage: of('cross_tenant_leakage'),
  };
}

function judgeStage(
  stage: Stage,
  coverages: Record<string, Looked>,
  findings: readonly JudgedFinding[],
  rubric: Rubric,
): JudgedStage {
  const max = STAGE_MAX[stage];
  const checks: Record<string, JudgedCheck> = {};
  let earned = 0;
  let looked = 0;
  for (const [name, points] of Object.entries<number>(rubric.checks[stage])) {
    const coverage = coverages[name] ?? { wanted: 1, looked: 0, gaps: [] };
    const thousandths = earnedThousandths(points, coverage);
    earned += thousandths;
    looked += shareOf(points, coverage.wanted, coverage.looked);
    checks[name] = {
      coverage: shareOf(1, coverage.wanted, coverage.looked) / THOUSAND,
      points: thousandths / THOUSAND,
      max: points,
      gaps: [...new Set(coverage.gaps.map(({ code }) => code))].sort(),
    };
  }
  const unique = worstOfEach(findings);
  const lost = unique.reduce((sum, { severity }) => sum + rubric.deductions[severity] * max * 10, 0);
  return {
    score: Math.max(0, Math.floor((earned - lost) / THOUSAND)),
    max,
    coverage: Math.floor(looked / max) / THOUSAND,
    checks,
    findings: unique,
  };
}

/** Earned thousandths of points, rounded down; 0 when nothing was inspected. */
function earnedThousandths(points: number, { wanted, looked, earned = looked }: Looked): number {
  return shareOf(points, wanted, Math.min(looked, earned));
}

/** A check with nothing to inspect is complete: no points are lost for what does not exist. */
function shareOf(points: number, wanted: number, part: number): number {
  if (wanted <= 0) return points * THOUSAND;
  if (part <= 0) return 0;
  return Math.floor((points * THOUSAND * Math.min(part, wanted)) / wanted);
}

function toFinding({ rule, subject, details }: Observation, rubric: Rubric): JudgedFinding {
  const { category, description, remediation } = rubric.texts[rule];
  return {
    fingerprint: toStorable(`${rule}:${subject}`.slice(0, 500)),
    severity: rubric.severities[rule],
    category: fill(category, details),
    description: fill(description, details),
    remediation: fill(remediation, details),
  };
}

/** Replaces `{name}` in a single pass, so that placeholders in untrusted values are not replaced. */
function fill(template: string, details: Observation['details']): string {
  return template.replace(/\{([a-z0-9_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(details, name) ? String(details[name]) : whole,
  );
}

/**
 * Keeps the worst finding per fingerprint; sorted worst first, then in an order that is independent of the scanner.
 */
function worstOfEach(findings: readonly JudgedFinding[]): JudgedFinding[] {
  const byPrint = new Map<string, JudgedFinding>();
  for (const finding of findings) {
    const known = byPrint.get(finding.fingerprint);
    if (!known || worstFirst(finding.severity, known.severity) < 0) byPrint.set(finding.fingerprint, finding);
  }
  return [...byPrint.values()].sort(
    (a, b) => worstFirst(a.severity, b.severity) || compare(a.fingerprint, b.fingerprint),
  );
}

/** Compares by code units, independent of the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function earnedBadge(score: number, findings: readonly JudgedFinding[], rubric: Rubric): Badge | null {
  if (findings.some(({ severity }) => severity === 'critical')) return null;
  const reached = BADGES.filter((badge) => score >= rubric.badges[badge]);
  const hasHigh = findings.some(({ severity }) => severity === 'high');
  const cap = hasHigh ? BADGES.indexOf(rubric.badge_with_high_finding) : BADGES.length;
  return BADGES[Math.min(reached.length - 1, cap)] ?? null;
}

const STAGE_NAMES: Record<Stage, string> = {
  static_analysis: 'static analysis',
  supply_chain: 'supply chain',
  dynamic_testing: 'dynamic testing',
  red_team: 'red team',
};

function summarise(
  score: number,
  findings: readonly JudgedFinding[],
  stages: Record<Stage, JudgedStage>,
): string {
  const counts = SEVERITIES.map((severity) => ({
    severity,
    count: findings.filter((finding) => finding.severity === severity).length,
  })).filter(({ count }) => count > 0);
  const listOfCounts = counts.map(({ severity, count }) => `${count} ${severity}`).join(', ');
  const partial = STAGES.filter((stage) => hasGap(stages[stage])).map((stage) => STAGE_NAMES[stage]);
  return [
    `${score} of 100 points.`,
    listOfCounts === '' ? 'No findings.' : `Findings: ${listOfCounts}.`,
    ...(partial.length > 0 ? [`Coverage is incomplete in ${partial.join(', ')}.`] : []),
  ].join(' ');
}

function hasGap({ checks }: JudgedStage): boolean {
  return Object.values(checks).some(({ coverage }) => coverage < 1);
}

/** Compares declarations with observations. What cannot be observed from outside is `not_audited`. */
function audit({ static: code, dynamic }: RunEvidence): DataHandlingAudit {
  const { declared, personalData, coverage } = dynamic.dataHandling;
  const { hosts, undeclaredHosts } = code.completeness;
  const verdict = (isLooked: boolean, isContradicted: boolean): AuditResult =>
    isContradicted ? 'contradicted' : isLooked ? 'consistent' : 'not_audited';
  return {
    pii_processed: {
      result: verdict(coverage.looked > 0, !declared.piiProcessed && personalData.length > 0),
    },
    subprocessors: { result: verdict(hosts.looked > 0, undeclaredHosts.total > 0) },
    residency: { result: 'not_audited' },
    data_retention_days: { result: 'not_audited' },
  };
}
