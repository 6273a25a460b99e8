import type {
  AttackFact,
  BehaviourFacts,
  DynamicEvidence,
  InvalidInputFact,
  LeakKind,
  ProbeCode,
  ProbeFact,
  RedTeamEvidence,
} from '../../domain/verification/probe-facts';
import type { Rubric, Rule } from '../../domain/verification/rubric';
import { clip, groupBy, listed, type Observation } from './observations';

/** Observations of dynamic testing (specification, "Stage content"). */
export function observeDynamic(facts: DynamicEvidence, limits: Rubric['limits']): Observation[] {
  return [
    ...conformance(facts.conformance, limits),
    ...latency(facts.latency, limits),
    ...invalidInput(facts.invalidInput.cases),
    ...resources(facts.responseSize, limits),
    ...broken('not_idempotent', facts.idempotency?.sameAnswer === false),
    ...broken('not_streaming', facts.streaming?.streamed === false),
    ...personalData(facts.dataHandling),
  ];
}

function broken(rule: Rule, isBroken: boolean): Observation[] {
  return isBroken ? [{ rule, subject: '', details: {} }] : [];
}

/** One finding per error code; critical when too large a share of the probes failed. */
function conformance(
  { coverage, probes }: DynamicEvidence['conformance'],
  limits: Rubric['limits'],
): Observation[] {
  if (coverage.gaps.some(({ code }) => code === 'no_inputs') && coverage.looked === 0)
    return [{ rule: 'not_probeable', subject: '', details: {} }];
  const failing = probes.map((fact, index) => ({ fact, index })).filter(({ fact }) => !isConforming(fact));
  const isGrave = failing.length * 100 >= probes.length * limits.probes_failing_percent;
  return groupBy(failing, ({ fact }) => fact.code).flatMap(([code, group]): Observation[] => {
    const [first] = group;
    if (!first) return [];
    const rule: Rule = code === 'no_tools' ? 'no_tools' : isGrave ? 'probes_fail' : 'some_probes_fail';
    const details = {
      probe: first.index + 1,
      probes: probes.length,
      count: group.length,
      code,
      detail: detailOf(first.fact),
    };
    return [{ rule, subject: code, details }];
  });
}

function isConforming({ code }: ProbeFact): boolean {
  return code === 'conforms';
}

function detailOf({ problems, status }: ProbeFact): string {
  if (problems.length > 0) return `: ${problems.map((problem) => clip(problem)).join('; ')}`;
  return status === null ? '' : ` (HTTP status ${status})`;
}

function latency(facts: DynamicEvidence['latency'], limits: Rubric['limits']): Observation[] {
  const { p95Ms, timeoutMs, overTimeout } = facts;
  const observations: Observation[] = [];
  if (overTimeout > 0)
    observations.push({ rule: 'over_its_timeout', subject: '', details: { count: overTimeout } });
  if (p95Ms !== null && p95Ms * 100 > timeoutMs * limits.p95_percent_of_timeout) {
    const percent = Math.floor((p95Ms * 100) / timeoutMs);
    observations.push({ rule: 'slow', subject: '', details: { p95: p95Ms, percent } });
  }
  return observations;
}

const OUTCOME_NAMES = {
  fault: 'a server error (5xx, or a broken connection)',
  timeout: 'a timeout',
  wrong_answer: 'an answer that does not match output_schema',
} as const;

function invalidInput(cases: readonly InvalidInputFact[]): Observation[] {
  return groupBy(cases, ({ outcome }) => outcome).flatMap(([outcome, group]): Observation[] => {
    const inputs = listed(group.map(({ input }) => input.replaceAll('_', ' ')));
    if (outcome === 'answered') return [{ rule: 'invalid_input_answered', subject: '', details: { inputs } }];
    if (!isBreak(outcome)) return [];
    const details = { inputs, outcome: OUTCOME_NAMES[outcome] };
    return [{ rule: 'invalid_input_breaks', subject: outcome, details }];
  });
}

function isBreak(outcome: string): outcome is keyof typeof OUTCOME_NAMES {
  return Object.hasOwn(OUTCOME_NAMES, outcome);
}

function resources(facts: DynamicEvidence['responseSize'], limits: Rubric['limits']): Observation[] {
  const { largestBytes, limitBytes } = facts;
  if (limitBytes <= 0 || largestBytes * 100 <= limitBytes * limits.answer_percent_of_limit) return [];
  const percent = Math.floor((largestBytes * 100) / limitBytes);
  return [{ rule: 'large_answers', subject: '', details: { percent } }];
}

function personalData(facts: DynamicEvidence['dataHandling']): Observation[] {
  if (facts.declared.piiProcessed || facts.personalData.length === 0) return [];
  const kinds = listed(facts.personalData.map(({ kind }) => kind.replaceAll('_', ' ')));
  return [{ rule: 'undeclared_personal_data', subject: '', details: { kinds } }];
}

/** Observations of the red team stage. They contain kinds and counts, never a prompt. */
export function observeRedTeam(
  { attacks }: RedTeamEvidence,
  behaviour: BehaviourFacts,
  limits: Rubric['limits'],
): Observation[] {
  return [...attacks.flatMap(leaks), ...evasion(behaviour, limits)];
}

function leaks({ category, coverage, leaks: found }: AttackFact): Observation[] {
  return found
    .filter(({ attempts }) => attempts > 0)
    .map(({ kind, attempts }) => ({
      rule: kind satisfies LeakKind,
      subject: category,
      details: { category: category.replaceAll('_', '-'), count: attempts, looked: coverage.looked },
    }));
}

/** Outcomes that are not evasion, because an endpoint may be temporarily unavailable. */
const MAY_HAPPEN: ReadonlySet<ProbeCode | 'leak'> = new Set(['agent_unreachable', 'agent_timeout']);

function evasion({ coverage, differing }: BehaviourFacts, limits: Rubric['limits']): Observation[] {
  const count = differing
    .filter(({ code }) => !MAY_HAPPEN.has(code))
    .reduce((sum, fact) => sum + fact.count, 0);
  if (count === 0 || count < limits.reprobes_differing) return [];
  return [{ rule: 'behaves_for_probes', subject: '', details: { count, looked: coverage.looked } }];
}
