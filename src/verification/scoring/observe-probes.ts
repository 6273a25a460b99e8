import type { LeakKind } from '../../domain/evidence/leak-kinds';
import type {
  AnswersFact,
  AttackFact,
  BehaviourFacts,
  DynamicEvidence,
  InvalidInputFact,
  ProbeFact,
  RedTeamEvidence,
} from '../../domain/verification/probe-facts';
import { textOfCause } from '../../domain/calls/connection-cause';
import type { Rubric, Rule } from '../../domain/verification/rubric';
import { isTransient } from '../../domain/verification/behaviour';
import { clip, groupBy, listed, type Observation } from './observations';
import { observeTools } from './observe-tools';

/** Observations of dynamic testing (specification, "Stage content"). */
export function observeDynamic(facts: DynamicEvidence, limits: Rubric['limits']): Observation[] {
  return [
    ...conformance(facts.conformance, limits),
    ...refusals(facts.conformance),
    ...correctness(facts, limits),
    ...reliability(facts.reliability, limits),
    ...buyers(facts.behaviour),
    ...latency(facts.latency, limits),
    ...jobs(facts.jobs),
    ...broken('throttled', facts.throttled !== undefined, { count: facts.throttled ?? 0 }),
    ...observeTools(facts.tools),
    ...invalidInput(facts.invalidInput.cases),
    ...resources(facts.responseSize, limits),
    ...broken('not_idempotent', facts.idempotency?.sameAnswer === false),
    ...broken('not_streaming', facts.streaming?.streamed === false),
    ...personalData(facts.dataHandling),
  ];
}

/** The probe that the owner looks up; evidence of older runs names none. */
function probeOf({ invocationId }: { invocationId?: string }): { invocationId?: string } {
  return invocationId === undefined ? {} : { invocationId };
}

function broken(rule: Rule, isBroken: boolean, details: Observation['details'] = {}): Observation[] {
  return isBroken ? [{ rule, subject: '', details }] : [];
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
    const { invocationId } = first.fact;
    const details = {
      probe: first.index + 1,
      probes: probes.length,
      count: group.length,
      code,
      detail: detailOf(first.fact),
      source: sourceOf(first.fact),
    };
    const probed = invocationId !== undefined && { invocationId };
    return [{ rule, subject: code, details, ...probed, ...remedyOf(first.fact) }];
  });
}

const ASKED_REMEDY =
  'Questions of a probe get no answer. Answer the examples of the manifest, and inputs that the schema allows, without a question. Then ask for another verification.';

const CARD_REMEDY =
  'Read the card again by PATCH /v1/agents/{agent_id}/registration with {}, which makes a version of it. If you have not changed the card, let its address answer with the same content each time.';

/** The rubric speaks of schemas, which a missing response has nothing to do with. */
function remedyOf({ cause, code }: ProbeFact): { remedy?: string } {
  if (code === 'asked_question') return { remedy: ASKED_REMEDY };
  if (code === 'card_changed') return { remedy: CARD_REMEDY };
  if (cause === undefined) return {};
  return { remedy: `${textOfCause(cause).remedy} Then ask for another verification.` };
}

/** Which input failed, and where the owner finds the call. */
function sourceOf({ input, invocationId }: ProbeFact): string {
  const kind =
    input === 'example' ? 'the input is an example of the manifest' : 'the input was made from input_schema';
  if (input === undefined) return '';
  return invocationId === undefined ? `; ${kind}` : `; ${kind} (invocation ${invocationId})`;
}

/** Inputs that we made and the agent refused prove nothing; the owner learns how to add better ones. */
function refusals({ probes, refused }: DynamicEvidence['conformance']): Observation[] {
  if (!refused || refused.count === 0) return [];
  const { count, statuses, invocationId } = refused;
  const rule: Rule = probes.some(isConforming) ? 'inputs_refused' : 'nothing_proven';
  const details = { count, statuses: statuses.join(', '), invocation: named(invocationId) };
  return [{ rule, subject: '', details, ...(invocationId !== null && { invocationId }) }];
}

/** Whether answers are right: expected outputs, and answers that depend on their input. */
function correctness({ expected, answers }: DynamicEvidence, limits: Rubric['limits']): Observation[] {
  const observations: Observation[] = [];
  const wrong = expected?.wrong ?? [];
  if (expected && wrong.length > 0) {
    const [first] = wrong;
    const details = {
      count: wrong.length,
      checked: expected.checked,
      examples: listed(wrong.map(({ example }) => String(example))),
      invocation: named(first?.invocationId ?? null),
    };
    const id = first?.invocationId;
    observations.push({ rule: 'unexpected_output', subject: '', details, ...(id && { invocationId: id }) });
  }
  const isRight = expected !== undefined && expected.checked > 0 && wrong.length === 0;
  if (answers && isIndifferent(answers) && answers.inputs >= limits.constant_inputs && !isRight) {
    const rule: Rule = answers.isProse && answers.isMeaningful ? 'ignores_input' : 'same_answers';
    const { inputs, distinct } = answers;
    const what = distinct === 1 ? 'the same answer' : `${distinct} answers that do not depend on them`;
    observations.push({ rule, subject: '', details: { inputs, answers: what }, ...probeOf(answers) });
  }
  return observations;
}

/** Few answers that go round: an input that was sent again got the answer of another one. */
const FEW_SHARE = 3;

function isIndifferent({ inputs, distinct, isFickle }: AnswersFact): boolean {
  return distinct === 1 || (isFickle === true && distinct * FEW_SHARE <= inputs);
}

function named(invocationId: string | null): string {
  return invocationId === null ? 'no invocation' : `invocation ${invocationId}`;
}

/** Failures that a second try repaired: buyers of most agents have one try. */
function reliability(facts: DynamicEvidence['reliability'], limits: Rubric['limits']): Observation[] {
  if (!facts || facts.faults === 0) return [];
  const { calls, faults } = facts;
  const isOften = faults > 1 && faults * 100 >= calls * limits.faults_percent;
  return [
    {
      rule: isOften ? 'often_unavailable' : 'sometimes_unavailable',
      subject: '',
      details: { calls, faults },
      ...probeOf(facts),
    },
  ];
}

/** The last period in which buyers' calls failed, until it is made up for. */
function buyers({ buyers: period }: BehaviourFacts): Observation[] {
  if (!period) return [];
  const { calls, failed, code } = period;
  const rule: Rule = failed === calls ? 'fails_all_buyers' : 'fails_buyers';
  return [{ rule, subject: '', details: { calls, failed, code } }];
}

function isConforming({ code }: ProbeFact): boolean {
  return code === 'conforms';
}

function detailOf({ problems, status, cause }: ProbeFact): string {
  if (cause !== undefined) return ` (${textOfCause(cause).what})`;
  if (problems.length > 0) return `: ${problems.map((problem) => clip(problem)).join('; ')}`;
  return status === null ? '' : ` (HTTP status ${status})`;
}

function latency(facts: DynamicEvidence['latency'], limits: Rubric['limits']): Observation[] {
  const { p95Ms, timeoutMs, overTimeout } = facts;
  const observations: Observation[] = [];
  if (overTimeout > 0)
    observations.push({
      rule: 'over_its_timeout',
      subject: '',
      details: { count: overTimeout },
      ...probeOf(facts),
    });
  if (p95Ms !== null && p95Ms * 100 > timeoutMs * limits.p95_percent_of_timeout) {
    const percent = Math.floor((p95Ms * 100) / timeoutMs);
    observations.push({ rule: 'slow', subject: '', details: { p95: p95Ms, percent }, ...probeOf(facts) });
  }
  return observations;
}

/** What was seen of the probes that the agent took as jobs. */
function jobs(facts: DynamicEvidence['jobs']): Observation[] {
  if (!facts) return [];
  const { taken, unanswered, unsigned, backwards, cancelled } = facts;
  const counted = (rule: Rule, count: number, more = {}): Observation[] =>
    count > 0 ? [{ rule, subject: '', details: { count, ...more } }] : [];
  return [
    ...counted('job_unanswered', unanswered, { jobs: taken }),
    ...counted('job_unsigned', unsigned),
    ...counted('job_goes_back', backwards),
    ...(cancelled?.goesOn
      ? [{ rule: 'job_goes_on' as const, subject: '', details: {}, invocationId: cancelled.invocationId }]
      : []),
  ];
}

const OUTCOME_NAMES = {
  fault: 'a server error (5xx, or a broken connection)',
  timeout: 'a timeout',
  wrong_answer: 'an answer that does not match output_schema',
} as const;

function invalidInput(cases: readonly InvalidInputFact[]): Observation[] {
  return groupBy(cases, ({ outcome }) => outcome).flatMap(([outcome, group]): Observation[] => {
    const inputs = listed(group.map(({ input }) => input.replaceAll('_', ' ')));
    const id = group.find((one) => one.invocationId !== undefined)?.invocationId;
    const probe = id === undefined ? {} : { invocationId: id };
    if (outcome === 'answered')
      return [{ rule: 'invalid_input_answered', subject: '', details: { inputs }, ...probe }];
    if (!isBreak(outcome)) return [];
    const details = { inputs, outcome: OUTCOME_NAMES[outcome] };
    return [{ rule: 'invalid_input_breaks', subject: outcome, details, ...probe }];
  });
}

function isBreak(outcome: string): outcome is keyof typeof OUTCOME_NAMES {
  return Object.hasOwn(OUTCOME_NAMES, outcome);
}

function resources(facts: DynamicEvidence['responseSize'], limits: Rubric['limits']): Observation[] {
  const { largestBytes, limitBytes } = facts;
  if (limitBytes <= 0 || largestBytes * 100 <= limitBytes * limits.answer_percent_of_limit) return [];
  const percent = Math.floor((largestBytes * 100) / limitBytes);
  return [{ rule: 'large_answers', subject: '', details: { percent }, ...probeOf(facts) }];
}

function personalData(facts: DynamicEvidence['dataHandling']): Observation[] {
  if (facts.declared.piiProcessed) return [];
  return [true, false].flatMap((isCertain): Observation[] => {
    const found = facts.personalData.filter((fact) => (fact.isCertain ?? true) === isCertain);
    if (found.length === 0) return [];
    const kinds = listed(found.map(({ kind }) => kind.replaceAll('_', ' ')));
    const rule: Rule = isCertain ? 'undeclared_personal_data' : 'possible_personal_data';
    return [{ rule, subject: '', details: { kinds }, ...probeOf(found[0] ?? {}) }];
  });
}

/** Observations of the red team stage. They contain kinds and counts, never a prompt. */
export function observeRedTeam(
  { attacks, answers }: RedTeamEvidence,
  behaviour: BehaviourFacts,
  limits: Rubric['limits'],
): Observation[] {
  return [...attacks.flatMap(leaks), ...textAnswers(answers, limits), ...evasion(behaviour, limits)];
}

function leaks({ category, coverage, leaks: found }: AttackFact): Observation[] {
  return found
    .filter(({ attempts }) => attempts > 0)
    .map(({ kind, attempts, invocationId }) => ({
      rule: kind satisfies LeakKind,
      subject: category,
      details: { category: category.replaceAll('_', '-'), count: attempts, looked: coverage.looked },
      ...(invocationId !== undefined && { invocationId }),
    }));
}

/** Answers to texts of the red team that do not match the output schema. */
function textAnswers(facts: RedTeamEvidence['answers'], limits: Rubric['limits']): Observation[] {
  if (!facts || facts.mismatched === 0) return [];
  const { answered, mismatched, invocationId, problems } = facts;
  const { punctuated } = facts;
  // An agent that fails at ordinary texts, too, does so because of their signs, however few attempts had some.
  const isByPunctuation =
    punctuated !== undefined && punctuated.calls > 1 && punctuated.broken === punctuated.calls;
  const isOften =
    isByPunctuation || (mismatched > 1 && mismatched * 100 >= answered * limits.text_mismatches_percent);
  const details = {
    count: mismatched,
    answered,
    invocation: named(invocationId),
    detail: problems.length > 0 ? `: ${problems.map((problem) => clip(problem)).join('; ')}` : '',
  };
  const rule: Rule = isOften ? 'breaks_on_text' : 'rarely_breaks_on_text';
  return [{ rule, subject: '', details, ...(invocationId !== null && { invocationId }) }];
}

/** Re-probes that differed from the run, until as many later ones match. Evidence of old runs has no `open`. */
function evasion(
  { coverage, differing, open, buyers: period }: BehaviourFacts,
  limits: Rubric['limits'],
): Observation[] {
  const count = differing
    .filter(({ code }) => !isTransient(code) && (code !== 'buyers' || !period))
    .reduce((sum, fact) => sum + fact.count, 0);
  const unsettled = open ?? count;
  if (count === 0 || unsettled < limits.reprobes_differing) return [];
  return [
    { rule: 'behaves_for_probes', subject: '', details: { count, looked: coverage.looked, open: unsettled } },
  ];
}
