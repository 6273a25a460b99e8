/**
 * Judges evidence by a rubric. A pure function without clock or randomness that calculates with integers only
 * (thousandths of points), so the same evidence and rubric always give the same bytes. Items that could not be
 * inspected earn no points and are not findings.
 */
import type { BundleEvidence, CheckCoverage } from '../../domain/evidence/evidence-facts';
import type { DynamicEvidence, RedTeamEvidence, RunEvidence } from '../../domain/verification/probe-facts';
import type { ToolTests } from '../../domain/catalogue/tools/tool-tests';
import { toolTestsText } from '../../domain/catalogue/tools/tool-tests';
import { examinedText } from '../../domain/verification/reader-texts';
import { type Rubric, RULES } from '../../domain/verification/rubric';
import {
  type AuditResult,
  BADGES,
  type DataHandlingAudit,
  type Examined,
  type JudgedCheck,
  type JudgedFinding,
  type JudgedStage,
  type Judgement,
  type LatencyPercentiles,
  SEVERITIES,
  type Stage,
  STAGE_MAX,
  STAGES,
} from '../../domain/verification/trust';
import { ceilingOf, ceilingText } from './ceiling';
import { badgeOf } from './badge';
import { examinedOf, withoutBehaviour } from './examined';
import { charge, toFinding, type Uncharged, waive, type WaiverInEffect } from './findings';
import type { Observation } from './observations';
import { observeReading, observeStatic, observeSupplyChain } from './observe-bundle';
import { observeDynamic, observeRedTeam } from './observe-probes';
import { observeDefinitions, observeUncleared } from './observe-tools';
import { type Coverages, earnedThousandths, type Looked, shareOf, THOUSAND } from './points';

/**
 * Applies the rubric to the evidence. Waived findings cost nothing (docs/verification-scores.md, "Waivers and
 * contests").
 */
export function judge(
  evidence: RunEvidence,
  rubric: Rubric,
  waivers: readonly WaiverInEffect[] = [],
): Judgement {
  const examined = rubric.coverage && examinedOf(evidence);
  const looked = coveragesOf(evidence);
  const coverages = examined?.right === 0 ? withoutBehaviour(looked, evidence) : looked;
  const findings = knownTo(rubric, observe(evidence, rubric)).map((observation) => ({
    stage: RULES[observation.rule],
    finding: toFinding(observation, rubric),
  }));
  const stages = {} as Record<Stage, JudgedStage>;
  for (const stage of STAGES) {
    const own = findings.filter((found) => found.stage === stage).map(({ finding }) => finding);
    stages[stage] = judgeStage(stage, coverages[stage], waive(own, waivers), rubric);
  }
  const score = STAGES.reduce((sum, stage) => sum + stages[stage].score, 0);
  const all = STAGES.flatMap((stage) => stages[stage].findings);
  const counting = all.filter(({ waiver }) => waiver === null);
  const earned = badgeOf(score, counting, rubric, examined?.right);
  const ceiling = ceilingOf(coverages, rubric, (reachable) =>
    badgeOf(reachable, [], rubric, examined?.checked),
  );
  const tools = evidence.dynamic.tools?.tested;
  const lowest = earned === null ? rubric.badges.basic : null;
  return {
    rubric_version: rubric.version,
    score,
    earned_badge: earned,
    stages,
    ceiling,
    advisories: evidence.static.vulnerabilities.asOf ?? [],
    summary: summarise(score, all, stages, {
      tools,
      ceiling: ceilingText(ceiling, lowest),
      answers: answerTexts(examined, rubric, score),
    }),
    data_handling: audit(evidence),
    latency: latencyOf(evidence.dynamic),
    ...(tools && { tools }),
    ...(examined && { examined }),
  };
}

function latencyOf({ latency: { p50Ms, p95Ms, p99Ms }, jobs }: DynamicEvidence): LatencyPercentiles {
  const ofJobs = jobs && { count: jobs.answered, p50_ms: jobs.p50Ms, p95_ms: jobs.p95Ms };
  return { p50_ms: p50Ms, p95_ms: p95Ms, p99_ms: p99Ms, ...(ofJobs && { jobs: ofJobs }) };
}

/** Applies the rubric to the stages that need no endpoint, as a run does. */
export function judgeBundle(
  evidence: BundleEvidence,
  rubric: Rubric,
): Record<'static_analysis' | 'supply_chain', JudgedStage> {
  const findingsOf = (seen: Observation[]) =>
    knownTo(rubric, seen).map((observation) => toFinding(observation, rubric));
  const reading = observeReading(evidence.static, evidence.supplyChain);
  const code = findingsOf([...reading, ...observeStatic(evidence.static, rubric.limits)]);
  const packages = findingsOf(observeSupplyChain(evidence.supplyChain, rubric.limits));
  return {
    static_analysis: judgeStage('static_analysis', staticCoverages(evidence.static), waive(code, []), rubric),
    supply_chain: judgeStage(
      'supply_chain',
      supplyCoverages(evidence.supplyChain),
      waive(packages, []),
      rubric,
    ),
  };
}

/** Leaves out what a rubric has no rule for: it was announced before the rule, and goes on giving the same score. */
function knownTo(rubric: Rubric, observations: Observation[]): Observation[] {
  return observations.filter(({ rule }) => Object.hasOwn(rubric.texts, rule));
}

function observe(evidence: RunEvidence, { limits }: Rubric): Observation[] {
  const redTeam = observeRedTeam(evidence.redTeam, evidence.dynamic.behaviour, limits);
  return [
    ...observeReading(evidence.static, evidence.supplyChain),
    ...observeStatic(evidence.static, limits),
    ...observeSupplyChain(evidence.supplyChain, limits),
    ...observeDynamic(evidence.dynamic, limits),
    ...redTeam,
    ...observeUncleared(evidence.dynamic.behaviour, redTeam),
    ...observeDefinitions(evidence.dynamic.tools),
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
  findings: readonly Uncharged[],
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
  const { findings: charged, left } = charge(findings, earned, max, rubric);
  return {
    score: Math.floor(left / THOUSAND),
    max,
    coverage: Math.floor(looked / max) / THOUSAND,
    checks,
    findings: charged,
  };
}

/** What was examined, and the next badge if right answers are all that it lacks. */
function answerTexts(examined: Examined | undefined, rubric: Rubric, score: number): string[] {
  if (!examined || !rubric.coverage) return [];
  const { answers } = rubric.coverage;
  const next = BADGES.find((badge) => score >= rubric.badges[badge] && examined.right < answers[badge]);
  const more =
    next === undefined ? [] : [`The badge ${next} needs ${answers[next]} right answers: add examples.`];
  const text = examinedText(examined);
  return [`${text.charAt(0).toUpperCase()}${text.slice(1)}.`, ...more];
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
  {
    tools,
    ceiling,
    answers,
  }: { tools: ToolTests | undefined; ceiling: readonly string[]; answers: readonly string[] },
): string {
  const counting = findings.filter(({ waiver }) => waiver === null);
  const waived = findings.length - counting.length;
  const counts = SEVERITIES.map((severity) => ({
    severity,
    count: counting.filter((finding) => finding.severity === severity).length,
  })).filter(({ count }) => count > 0);
  const listOfCounts = counts.map(({ severity, count }) => `${count} ${severity}`).join(', ');
  const partial = STAGES.filter((stage) => hasGap(stages[stage])).map((stage) => STAGE_NAMES[stage]);
  return [
    `${score} of 100 points.`,
    ...answers,
    listOfCounts === '' ? 'No findings.' : `Findings: ${listOfCounts}.`,
    ...(waived > 0 ? [`${waived} waived by an operator.`] : []),
    ...(partial.length > 0 ? [`Coverage is incomplete in ${partial.join(', ')}.`] : []),
    ...(tools ? [`${toolTestsText(tools)}.`] : []),
    ...ceiling,
  ].join(' ');
}

function hasGap({ checks }: JudgedStage): boolean {
  return Object.values(checks).some(({ coverage }) => coverage < 1);
}

/** Compares declarations with observations. What cannot be observed from outside is `not_audited`. */
function audit({ static: code, dynamic }: RunEvidence): DataHandlingAudit {
  const { declared, personalData, coverage } = dynamic.dataHandling;
  const { hosts, undeclaredHosts } = code.completeness;
  const isCertain = personalData.some((fact) => fact.isCertain ?? true);
  const verdict = (isLooked: boolean, isContradicted: boolean): AuditResult =>
    isContradicted ? 'contradicted' : isLooked ? 'consistent' : 'not_audited';
  return {
    pii_processed: {
      result: verdict(coverage.looked > 0, !declared.piiProcessed && isCertain),
    },
    subprocessors: { result: verdict(hosts.looked > 0, undeclaredHosts.total > 0) },
    residency: { result: 'not_audited' },
    data_retention_days: { result: 'not_audited' },
  };
}
