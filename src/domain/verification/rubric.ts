/**
 * A rubric: the versioned document that turns evidence into findings and points (docs/verification-scores.md). Code
 * defines what is detected; the rubric defines points, severities and texts.
 */
import { type Badge, BADGES, SEVERITIES, type Severity, type Stage, STAGE_MAX, STAGES } from './trust';
import { isRecord, isStorable } from '../json-value';

/** The checks of each stage. A check earns points in proportion to its coverage. */
export const CHECKS = {
  static_analysis: ['secrets', 'vulnerabilities', 'quality', 'completeness', 'hosts'],
  supply_chain: ['lockfiles', 'pinning', 'dependencies', 'malicious', 'licences', 'install_scripts'],
  dynamic_testing: ['conformance', 'latency', 'invalid_input', 'response_size', 'promises', 'data_handling'],
  red_team: ['prompt_injection', 'data_exfiltration', 'jailbreak', 'cross_tenant_leakage'],
} as const satisfies Record<Stage, readonly string[]>;

/** Everything that can be detected, with the stage in which it counts. */
export const RULES = {
  unreadable_bundle: 'static_analysis',
  secret_exposure: 'static_analysis',
  secret_named: 'static_analysis',
  secret_guessed: 'static_analysis',
  secret_public: 'static_analysis',
  secret_allowed: 'static_analysis',
  secret_in_tests: 'static_analysis',
  vulnerable_critical: 'static_analysis',
  vulnerable_high: 'static_analysis',
  vulnerable_medium: 'static_analysis',
  vulnerable_low: 'static_analysis',
  malicious_code: 'static_analysis',
  suspicious_code: 'static_analysis',
  dangerous_call: 'static_analysis',
  risky_call: 'static_analysis',
  minified_code: 'static_analysis',
  long_file: 'static_analysis',
  no_tests: 'static_analysis',
  no_licence: 'static_analysis',
  no_readme: 'static_analysis',
  undescribed_schema: 'static_analysis',
  no_examples: 'static_analysis',
  undeclared_host: 'static_analysis',
  malicious_package: 'supply_chain',
  imitated_package: 'supply_chain',
  foreign_source: 'supply_chain',
  networked_install_script: 'supply_chain',
  floating_dependency: 'supply_chain',
  lockfile_disagrees: 'supply_chain',
  many_dependencies: 'supply_chain',
  licence_incompatible: 'supply_chain',
  licence_unclear: 'supply_chain',
  own_install_script: 'supply_chain',
  install_script: 'supply_chain',
  not_probeable: 'dynamic_testing',
  no_tools: 'dynamic_testing',
  probes_fail: 'dynamic_testing',
  some_probes_fail: 'dynamic_testing',
  inputs_refused: 'dynamic_testing',
  nothing_proven: 'dynamic_testing',
  unexpected_output: 'dynamic_testing',
  ignores_input: 'dynamic_testing',
  same_answers: 'dynamic_testing',
  often_unavailable: 'dynamic_testing',
  sometimes_unavailable: 'dynamic_testing',
  breaks_on_text: 'dynamic_testing',
  rarely_breaks_on_text: 'dynamic_testing',
  fails_buyers: 'dynamic_testing',
  fails_all_buyers: 'dynamic_testing',
  slow: 'dynamic_testing',
  over_its_timeout: 'dynamic_testing',
  job_unanswered: 'dynamic_testing',
  job_unsigned: 'dynamic_testing',
  job_goes_back: 'dynamic_testing',
  job_goes_on: 'dynamic_testing',
  unpassed_feature: 'dynamic_testing',
  invalid_input_breaks: 'dynamic_testing',
  invalid_input_answered: 'dynamic_testing',
  large_answers: 'dynamic_testing',
  not_idempotent: 'dynamic_testing',
  not_streaming: 'dynamic_testing',
  undeclared_personal_data: 'dynamic_testing',
  possible_personal_data: 'dynamic_testing',
  throttled: 'dynamic_testing',
  behaves_for_probes: 'red_team',
  followed_instruction: 'red_team',
  disclosed_instructions: 'red_team',
  disclosed_secret: 'red_team',
  guessed_secret: 'red_team',
  dropped_guard: 'red_team',
  foreign_canary: 'red_team',
  instructs_reader: 'red_team',
  sends_text_away: 'red_team',
  poisoned_tool: 'red_team',
  active_content: 'red_team',
  hidden_text: 'red_team',
  terminal_escape: 'red_team',
  uncleared_finding: 'red_team',
} as const satisfies Record<string, Stage>;
export type Rule = keyof typeof RULES;

/** Thresholds above or below which a measurement becomes a finding. */
export const LIMITS = [
  'longest_file_lines',
  'dependencies',
  'described_properties_percent',
  'p95_percent_of_timeout',
  'answer_percent_of_limit',
  'probes_failing_percent',
  'reprobes_differing',
  'faults_percent',
  'text_mismatches_percent',
  'constant_inputs',
] as const;
export type LimitName = (typeof LIMITS)[number];

export interface RuleText {
  category: string;
  /** `{name}` is replaced by a detail of the finding. */
  description: string;
  /** What the finding can mean for a buyer. */
  risk: string;
  remediation: string;
}

/** What a badge needs beside points. Without a right answer, an agent has no points for its behaviour and no badge. */
export interface RubricCoverage {
  /** Right answers that each badge needs. */
  answers: Record<Badge, number>;
  /** Rules whose findings, if they are high, leave no badge. */
  no_badge_with: readonly Rule[];
}

export interface Rubric {
  /** `YYYY.N` */
  version: string;
  /** Points of each check. The points of a stage add up to its maximum. */
  checks: { [S in Stage]: Record<(typeof CHECKS)[S][number], number> };
  /** Deduction for a finding, in percent of its stage's maximum. */
  deductions: Record<Severity, number>;
  /** Minimum score for each badge. */
  badges: Record<Badge, number>;
  /** The highest badge that an agent with an unresolved high finding can have. */
  badge_with_high_finding: Badge;
  /** Absent in rubrics before 2026.2, which give points for what was not answered. */
  coverage?: RubricCoverage;
  severities: Record<Rule, Severity>;
  limits: Record<LimitName, number>;
  texts: Record<Rule, RuleText>;
}

export interface RubricProblem {
  /** Location, such as `['checks', 'red_team', 'jailbreak']`. */
  loc: string[];
  msg: string;
}

const RULE_NAMES = Object.keys(RULES) as Rule[];
const MAX_TEXT = 500;

/** Validates a rubric document. Returns all problems; empty when the document is a valid `Rubric`. */
export function rubricProblems(document: unknown): RubricProblem[] {
  const problems: RubricProblem[] = [];
  const members = record(problems, [], document, [
    'version',
    'checks',
    'deductions',
    'badges',
    'badge_with_high_finding',
    'coverage',
    'severities',
    'limits',
    'texts',
  ]);
  if (problems.length > 0) return problems;
  const version = members['version'];
  if (typeof version !== 'string' || !/^[0-9]{4}\.[1-9][0-9]{0,3}$/.test(version))
    problems.push({ loc: ['version'], msg: 'must be a version of the form YYYY.N' });
  checkPoints(problems, members['checks']);
  numbers(problems, ['deductions'], members['deductions'], SEVERITIES, 100);
  numbers(problems, ['badges'], members['badges'], BADGES, 100);
  oneOf(problems, ['badge_with_high_finding'], members['badge_with_high_finding'], BADGES);
  checkCoverage(problems, members['coverage']);
  numbers(problems, ['limits'], members['limits'], LIMITS, Number.MAX_SAFE_INTEGER);
  const severities = record(problems, ['severities'], members['severities'], RULE_NAMES);
  for (const rule of RULE_NAMES) oneOf(problems, ['severities', rule], severities[rule], SEVERITIES);
  checkTexts(problems, members['texts']);
  return problems;
}

function checkPoints(problems: RubricProblem[], value: unknown): void {
  const stages = record(problems, ['checks'], value, STAGES);
  for (const stage of STAGES) {
    const points = numbers(problems, ['checks', stage], stages[stage], CHECKS[stage], STAGE_MAX[stage]);
    const sum = points.reduce((total, point) => total + point, 0);
    if (sum !== STAGE_MAX[stage])
      problems.push({ loc: ['checks', stage], msg: `must add up to ${STAGE_MAX[stage]} points` });
  }
}

function checkCoverage(problems: RubricProblem[], value: unknown): void {
  const members = record(problems, ['coverage'], value, ['answers', 'no_badge_with']);
  numbers(problems, ['coverage', 'answers'], members['answers'], BADGES, 1_000);
  const rules = members['no_badge_with'];
  if (Array.isArray(rules) && rules.every((rule) => RULE_NAMES.includes(rule as Rule))) return;
  problems.push({ loc: ['coverage', 'no_badge_with'], msg: 'must be a list of rules' });
}

function checkTexts(problems: RubricProblem[], value: unknown): void {
  const texts = record(problems, ['texts'], value, RULE_NAMES);
  for (const rule of RULE_NAMES) {
    const members = record(problems, ['texts', rule], texts[rule], [
      'category',
      'description',
      'risk',
      'remediation',
    ]);
    for (const [name, text] of Object.entries(members)) {
      if (typeof text === 'string' && isProse(text)) continue;
      problems.push({ loc: ['texts', rule, name], msg: `must be a text of 1 to ${MAX_TEXT} characters` });
    }
  }
}

function isProse(text: string): boolean {
  return text.length > 0 && text.length <= MAX_TEXT && isStorable(text);
}

/** Checks that a value is an object with exactly these members; reports what is missing and unknown. */
function record(
  problems: RubricProblem[],
  loc: string[],
  value: unknown,
  names: readonly string[],
): Record<string, unknown> {
  if (!isRecord(value)) {
    problems.push({ loc, msg: 'must be an object' });
    return {};
  }
  for (const name of names)
    if (!Object.hasOwn(value, name)) problems.push({ loc: [...loc, name], msg: 'is missing' });
  for (const name of Object.keys(value))
    if (!names.includes(name)) problems.push({ loc: [...loc, name], msg: 'is not known' });
  return value;
}

/**
 * Reads an object of whole numbers from 0 to `max`; reports problems and returns the values, with 0 for
 * invalid ones.
 */
function numbers(
  problems: RubricProblem[],
  loc: string[],
  value: unknown,
  names: readonly string[],
  max: number,
): number[] {
  const members = record(problems, loc, value, names);
  return names.map((name) => {
    const found = members[name];
    if (typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 && found <= max) return found;
    if (found !== undefined)
      problems.push({ loc: [...loc, name], msg: `must be a whole number from 0 to ${max}` });
    return 0;
  });
}

function oneOf(problems: RubricProblem[], loc: string[], value: unknown, known: readonly string[]): void {
  if (value === undefined || (typeof value === 'string' && known.includes(value))) return;
  problems.push({ loc, msg: `must be one of ${known.join(', ')}` });
}
