/**
 * The evidence of both stages at the endpoint, computed from what a pass observed (`live-testing.ts`). It reads every
 * answer with all detectors, so it runs in a thread (`answer-thread.ts`).
 */
import type {
  AttackAnswersFact,
  DynamicEvidence,
  ExpectedFact,
  InvalidInputFact,
  RedTeamEvidence,
} from '../../domain/verification/probe-facts';
import type { CheckCoverage, GapCode } from '../../domain/evidence/evidence-facts';
import type { Exchange } from './conformance-probe';
import { answersFact, type CallEvidence, coverage, factsOf, reliabilityOf } from './dynamic-testing';
import { type ExpectedOutput, meets } from './expected-output';
import type { LivePlan } from './live-plan';
import { type AttackResult, redTeamEvidence } from './red-team';

/** What a pass observed. It passes between threads, so it contains data only. */
export interface Observations {
  plan: LivePlan;
  exchanges: Exchange[];
  attacks: AttackResult[];
  /** Answers to examples with an expected output. `example`: counted from 1. */
  expected: { example: number; invocationId: string | null; answer: Buffer; expected: ExpectedOutput }[];
  /** Answers to ordinary inputs that were sent again. */
  repeats: { input: string; answer: Buffer }[];
  /** Ordinary texts with quotation marks and line breaks, sent after a server error. */
  punctuated: Exchange[];
  idempotency: DynamicEvidence['idempotency'];
  streaming: DynamicEvidence['streaming'];
  cases: InvalidInputFact[];
}

export interface LiveResult {
  dynamic: CallEvidence;
  redTeam: RedTeamEvidence;
}

/** Computes the evidence; the same observations give the same evidence. */
export function evidenceOf(seen: Observations): LiveResult {
  const { plan, exchanges, attacks, repeats, cases, idempotency, streaming } = seen;
  const attempted = attacks.flatMap(({ exchange }) => exchange ?? []);
  const seeds = attacks.flatMap(({ step, exchange }) => (step.attempt === null && exchange ? exchange : []));
  const all = [...exchanges, ...attempted];
  const { wanted, gap, timeoutMs, limitBytes, ownHosts } = plan;
  return {
    dynamic: {
      ...factsOf({ exchanges, attempted, wanted, gap, timeoutMs, limitBytes, ownHosts }),
      invalidInput: { coverage: coverage(plan.invalidWanted, cases.length, plan.gap), cases },
      expected: expectedFact(seen),
      idempotency,
      streaming,
      answers: answersFact({ all, ordinary: [...exchanges, ...seeds], repeats, hasText: plan.hasText }),
      reliability: reliabilityOf(all),
    },
    redTeam: {
      ...redTeamEvidence(attacks, exchanges, plan),
      answers: attackAnswers(attempted, seen.punctuated),
    },
  };
}

/** The observations with an empty text for each answer, and the sizes of the answers, which the thread takes. */
export function withoutAnswers(seen: Observations): { blank: Observations; sizes: number[] } {
  const empty = (exchange: Exchange): Exchange => ({ ...exchange, answer: exchange.answer && NO_TEXT });
  const blank: Observations = {
    ...seen,
    exchanges: seen.exchanges.map(empty),
    attacks: seen.attacks.map((attack) => ({
      ...attack,
      exchange: attack.exchange && empty(attack.exchange),
    })),
    punctuated: seen.punctuated.map(empty),
    expected: [],
    repeats: [],
  };
  return { blank, sizes: seen.exchanges.flatMap(({ answer }) => answer?.length ?? []) };
}

const NO_TEXT = Buffer.from('""');

/** The evidence of a pass whose answers could not be read. What only their text shows is a gap of coverage. */
export function unreadEvidence(blank: Observations, sizes: readonly number[], why: GapCode): LiveResult {
  const { dynamic, redTeam } = evidenceOf(blank);
  const unread = ({ wanted }: CheckCoverage) => coverage(wanted, 0, why);
  const { responseSize, personalData, expected } = dynamic;
  return {
    dynamic: {
      ...dynamic,
      responseSize: { ...responseSize, largestBytes: Math.max(0, ...sizes) },
      personalData: { coverage: unread(personalData.coverage), personalData: [] },
      expected: { ...expected, checked: 0, wrong: [] },
      answers: {
        ...dynamic.answers,
        inputs: 0,
        distinct: 0,
        isProse: false,
        ordinary: { inputs: 0, alike: 0 },
      },
    },
    redTeam: {
      ...redTeam,
      attacks: redTeam.attacks.map((attack) => ({ ...attack, coverage: unread(attack.coverage), leaks: [] })),
    },
  };
}

function expectedFact({ plan, expected }: Observations): ExpectedFact {
  const wrong = expected.filter((one) => !meets(one.answer, one.expected));
  return {
    wanted: plan.examples.filter((example) => example.expected !== null).length,
    checked: expected.length,
    wrong: wrong.map(({ example, invocationId }) => ({ example, invocationId })),
  };
}

/** The answers to valid inputs of the red team, against the output schema. A server error is a wrong answer, too. */
function attackAnswers(attempted: readonly Exchange[], punctuated: readonly Exchange[]): AttackAnswersFact {
  const wrong = attempted.filter(({ fact }) => fact.code === 'output_schema_mismatch');
  const broken = attempted.filter(isBroken);
  const first = wrong[0] ?? broken[0];
  const problems = first?.fact.problems ?? [];
  return {
    answered: attempted.filter(({ answer }) => answer !== null).length + broken.length,
    mismatched: wrong.length + broken.length,
    invocationId: first?.fact.invocationId ?? null,
    problems: first && problems.length === 0 ? [`HTTP status ${first.fact.status}`] : problems,
    ...(punctuated.length > 0 && {
      punctuated: { calls: punctuated.length, broken: punctuated.filter(isBroken).length },
    }),
  };
}

/** True for a server error that is no overload. */
export function isBroken({ fact: { status } }: Pick<Exchange, 'fact'>): boolean {
  return status !== null && status >= 500 && status !== 503;
}
