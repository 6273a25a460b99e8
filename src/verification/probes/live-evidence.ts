/**
 * The evidence of the stages at the endpoint, computed from what each observed in its own calls (`live-testing.ts`). It
 * reads every answer with all detectors, so it runs in a thread (`answer-thread.ts`).
 */
import type {
  AttackAnswersFact,
  DynamicEvidence,
  ExpectedFact,
  InvalidInputFact,
  RedTeamEvidence,
  ShareFacts,
} from '../../domain/verification/probe-facts';
import type { GapCode } from '../../domain/evidence/evidence-facts';
import type { Canary } from './canary-forms';
import { type Exchange, isRefusal } from './conformance-probe';
import {
  answersShare,
  type CallEvidence,
  coverage,
  factsOf,
  isProven,
  personalDataOf,
  reliabilityOf,
} from './dynamic-testing';
import { type ExpectedOutput, meets } from './expected-output';
import { mixesCallers, ordinaryLeaks } from './leak-detectors';
import type { LivePlan, LiveStage } from './live-plan';
import { type AttackResult, redTeamEvidence } from './red-team';

/** What a stage observed. It passes between threads, so it contains data only. */
export interface Observations {
  plan: LivePlan;
  /** Ordinary inputs: of dynamic testing, or the baseline of the red team. */
  exchanges: Exchange[];
  attacks: AttackResult[];
  /** Canaries of the attempts of the run, which no answer to another call may hold. */
  canaries: readonly Canary[];
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

/** The evidence of each stage, of its own calls. */
export interface LiveResults {
  dynamic: CallEvidence;
  redTeam: RedTeamEvidence;
}

export interface AnswerReader {
  /** True when an answer says little more than the words of its step, and not from the input (`saysWords`). */
  saysWords(words: string, input: string, answer: Buffer): Promise<boolean>;
  /** Computes the evidence of a stage. The answers may be moved, so the caller must not use them afterwards. */
  evidence<S extends LiveStage>(stage: S, seen: Observations): Promise<LiveResults[S]>;
}

/** Computes the evidence of a stage; the same observations give the same evidence. */
export function evidenceOf<S extends LiveStage>(stage: S, seen: Observations): LiveResults[S] {
  return EVIDENCE_OF[stage](seen);
}

const EVIDENCE_OF: { [S in LiveStage]: (seen: Observations) => LiveResults[S] } = {
  dynamic: dynamicEvidence,
  redTeam: attackEvidence,
};

function dynamicEvidence(seen: Observations): CallEvidence {
  const { plan, exchanges, repeats, cases, idempotency, streaming, canaries } = seen;
  const { wanted, gap, timeoutMs, limitBytes, ownHosts, hasText, salt } = plan;
  const mixes = mixesCallers(
    exchanges.map((exchange) => ({ exchange })),
    canaries,
  );
  return {
    ...factsOf({ exchanges, wanted, gap, timeoutMs, limitBytes }),
    invalidInput: { coverage: coverage(plan.invalidWanted, cases.length, plan.gap), cases },
    expected: expectedFact(seen),
    idempotency,
    streaming,
    share: {
      answers: answersShare({ all: exchanges, ordinary: exchanges, repeats, hasText, salt }),
      reliability: reliabilityOf(exchanges),
      personalData: personalDataOf(exchanges.filter(isProven), ownHosts),
      leaks: ordinaryLeaks(exchanges, canaries, { ...plan, mixes }).map(({ invocationId, ...leak }) => ({
        ...leak,
        attempts: 1,
        ...(invocationId !== undefined && { invocationId }),
      })),
      mixesCallers: mixes,
    },
  };
}

function attackEvidence(seen: Observations): RedTeamEvidence {
  const { plan, exchanges, attacks, repeats } = seen;
  const { hasText, salt } = plan;
  const attempted = attacks.flatMap(({ exchange }) => exchange ?? []);
  const seeds = attacks.flatMap(({ step, exchange }) => (step.attempt === null && exchange ? exchange : []));
  const all = [...exchanges, ...attempted];
  const { mixesCallers: mixes, ...evidence } = redTeamEvidence(attacks, exchanges, plan);
  return {
    ...evidence,
    answers: attackAnswers(attempted, seen.punctuated),
    share: {
      answers: answersShare({ all, ordinary: [...exchanges, ...seeds], repeats, hasText, salt }),
      reliability: reliabilityOf(all),
      personalData: personalDataOf(all.filter(isProven), plan.ownHosts),
      leaks: [],
      mixesCallers: mixes,
    },
  };
}

/** Returns the observations with an empty text for each answer, and the sizes of the answers. The thread gets both. */
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

/** The evidence of a stage whose answers could not be read. What only their text shows is a gap of coverage. */
export function unreadEvidence<S extends LiveStage>(
  stage: S,
  blank: Observations,
  sizes: readonly number[],
  why: GapCode,
): LiveResults[S] {
  return UNREAD_OF[stage](evidenceOf(stage, blank), sizes, why);
}

const UNREAD_OF: {
  [S in LiveStage]: (evidence: LiveResults[S], sizes: readonly number[], why: GapCode) => LiveResults[S];
} = {
  dynamic: (dynamic, sizes, why) => ({
    ...dynamic,
    responseSize: { ...dynamic.responseSize, largestBytes: Math.max(0, ...sizes) },
    personalData: coverage(dynamic.personalData.wanted, 0, why),
    expected: { ...dynamic.expected, checked: 0, wrong: [] },
    share: unreadShare(dynamic.share),
  }),
  redTeam: (redTeam, _sizes, why) => ({
    ...redTeam,
    attacks: redTeam.attacks.map((attack) => ({
      ...attack,
      coverage: coverage(attack.coverage.wanted, 0, why),
      leaks: [],
    })),
    ...(redTeam.share && { share: unreadShare(redTeam.share) }),
  }),
};

function unreadShare({ reliability, answers: { isMeaningful } }: ShareFacts): ShareFacts {
  const ordinary = { inputs: 0, alikeShapes: 0, alikeTexts: 0 };
  const answers = { prints: [], again: [], isProse: false, isMeaningful, ordinary };
  return { answers, reliability, personalData: [], leaks: [], mixesCallers: false };
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
    answered: attempted.filter(isChecked).length + broken.length,
    mismatched: wrong.length + broken.length,
    invocationId: first?.fact.invocationId ?? null,
    problems: first && problems.length === 0 ? [`HTTP status ${first.fact.status}`] : problems,
    ...(punctuated.length > 0 && {
      punctuated: { calls: punctuated.length, broken: punctuated.filter(isBroken).length },
    }),
  };
}

const isChecked = ({ answer, fact }: Exchange) => answer !== null && fact.unchecked !== true;

/** True for a server error that is no overload. */
export function isBroken({ fact: { status } }: Pick<Exchange, 'fact'>): boolean {
  return status !== null && status >= 500 && status !== 503;
}

type Calls = Pick<Observations, 'exchanges' | 'attacks'>;

/** Few answers: at most a third of nine inputs or more, in short answers. */
const LEAST_ANSWERED = 4;
const LEAST_FEW = 9;
const FEW_SHARE = 3;
const SHORT_ANSWER_BYTES = 4_096;

/**
 * True when a few answers went to many inputs, or, in a pass of few calls, when two ordinary inputs got the same one.
 * The detectors decide what that means; this only asks for more.
 */
export function hasFewAnswers({ exchanges, attacks }: Calls): boolean {
  const seeds = attacks.flatMap(({ step, exchange }) => (step.attempt === null && exchange ? exchange : []));
  const ordinary = shapesOf([...exchanges, ...seeds]);
  const all = shapesOf([...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? [])]);
  if (!ordinary || !all || all.length < LEAST_ANSWERED) return false;
  if (all.length < LEAST_FEW) return new Set(ordinary).size < ordinary.length;
  return ordinary.length >= LEAST_ANSWERED && new Set(all).size * FEW_SHARE <= all.length;
}

/** The answers to different inputs without numbers; undefined if one is long. */
function shapesOf(exchanges: readonly Exchange[]): string[] | undefined {
  const byInput = new Map(
    exchanges.flatMap(({ input, answer }) => (answer ? [[input, answer] as const] : [])),
  );
  const answers = [...byInput.values()];
  if (answers.some(({ length }) => length > SHORT_ANSWER_BYTES)) return undefined;
  return answers.map((answer) => answer.toString().replace(/\d+/g, '0'));
}

/** True when the agent answered one of the calls, or refused its input. */
export function isReachable({ exchanges, attacks }: Calls): boolean {
  return [...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? [])].some(
    ({ answer, fact }) => answer !== null || isRefusal(fact),
  );
}
