/**
 * The evidence of the dynamic testing stage, computed from the exchanges of a run (`live-testing.ts`). Evidence
 * consists of facts: codes, durations, positions in an answer, kinds of personal data; never a body, the endpoint or a
 * secret.
 */
import { createHash } from 'node:crypto';
import type { CheckCoverage, Gap, GapCode } from '../../domain/evidence/evidence-facts';
import type {
  AnswersShare,
  DynamicEvidence,
  ExpectedFact,
  InvalidInputFact,
  ReliabilityFact,
  ShareFacts,
} from '../../domain/verification/probe-facts';
import { textOfAnswer } from './answer-text';
import { type Exchange, isRefusal } from './conformance-probe';
import { certainKinds, personalDataIn, type PersonalDatum } from './personal-data';

export type CallEvidence = Pick<
  DynamicEvidence,
  'conformance' | 'latency' | 'invalidInput' | 'responseSize' | 'idempotency' | 'streaming'
> & {
  expected: ExpectedFact;
  /** What outputs contained; it is compared with the declaration later. */
  personalData: CheckCoverage;
  share: ShareFacts;
};

/** What a run observed with valid inputs, and the plan that it followed. */
export interface Observed {
  exchanges: readonly Exchange[];
  /** Proven inputs that were intended, and why there are fewer inputs. */
  wanted: number;
  gap: GapCode;
  timeoutMs: number;
  limitBytes: number;
}

/**
 * Conformance, latency, size, and how many outputs can be read for personal data. Inputs that we made and the agent
 * refused are not proven.
 */
export function factsOf(observed: Observed) {
  const { exchanges, wanted, gap, timeoutMs, limitBytes } = observed;
  const refused = exchanges.filter((exchange) => !isProven(exchange));
  const proven = exchanges.filter(isProven);
  const answered = proven.filter(({ answer }) => answer !== null);
  const texts = answered.flatMap(({ answer }) => (answer === null ? [] : textOfAnswer(answer)));
  const largest = mostOf(answered, ({ answer }) => answer?.length ?? 0);
  const cut = texts.filter(({ isCut }) => isCut).length;
  const examined = Math.min(wanted, Math.max(proven.length, 1));
  const missing = refused.length > 0 ? 'refused_inputs' : exchanges.length < wanted ? gap : 'not_answered';
  return {
    conformance: {
      coverage: coverage(wanted, Math.min(wanted, proven.length), missing),
      probes: proven.map(({ fact }) => fact),
      refused: {
        count: refused.length,
        statuses: [...new Set(refused.map(({ fact }) => fact.status ?? 0))].sort((a, b) => a - b),
        invocationId: refused[0]?.fact.invocationId ?? null,
      },
    },
    latency: latencyOf(exchanges, timeoutMs),
    responseSize: {
      coverage: coverage(examined, Math.min(examined, answered.length), missing),
      largestBytes: Math.max(0, ...answered.map(({ answer }) => answer?.length ?? 0)),
      limitBytes,
      ...(largest && probeOf(largest.fact)),
    },
    personalData: coverage(examined, Math.min(examined, texts.length) - cut, missing),
  };
}

/**
 * Kinds of personal data in answers. `ownHosts`: hosts of the manifest; addresses there are contacts of the developer.
 */
export function personalDataOf(
  exchanges: readonly Exchange[],
  ownHosts: readonly string[],
): ShareFacts['personalData'] {
  return countedKinds(
    exchanges.flatMap(({ input, answer, fact: { invocationId } }) =>
      answer === null
        ? []
        : [{ data: personalDataIn(textOfAnswer(answer).text, input, ownHosts), invocationId }],
    ),
  );
}

/** Inputs that were proven: not those that we made and the agent refused, nor those for which it was too busy. */
export function isProven({ fact }: Exchange): boolean {
  return !(isRefusal(fact) && (fact.input === 'made' || fact.status === TOO_MANY));
}

const TOO_MANY = 429;

/** The id of a call, so that the owner finds it. */
function probeOf({ invocationId }: { invocationId?: string | undefined }): { invocationId?: string } {
  return invocationId === undefined ? {} : { invocationId };
}

/** The first of those with the largest measure; undefined for none. */
function mostOf(exchanges: readonly Exchange[], of: (exchange: Exchange) => number): Exchange | undefined {
  return [...exchanges].sort((a, b) => of(b) - of(a))[0];
}

interface TextWithData {
  data: readonly PersonalDatum[];
  invocationId: string | undefined;
}

function countedKinds(outputs: readonly TextWithData[]) {
  return [...certainKinds(outputs.map(({ data }) => data))]
    .map(([kind, isCertain]) => {
      const having = outputs.filter(({ data }) => data.some((datum) => datum.kind === kind));
      return { kind, outputs: having.length, isCertain, ...probeOf({ ...having[0] }) };
    })
    .sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** A refusal has a latency, too: the agent answered. */
function latencyOf(exchanges: readonly Exchange[], timeoutMs: number): DynamicEvidence['latency'] {
  const sorted = exchanges
    .filter(({ answer, fact }) => answer !== null || isRefusal(fact))
    .map(({ fact }) => fact.durationMs)
    .sort((a, b) => a - b);
  const slowest = mostOf(exchanges, ({ fact }) => fact.durationMs);
  const at = (share: number) => sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? null;
  return {
    coverage: coverage(exchanges.length || 1, sorted.length, 'not_answered'),
    timeoutMs,
    // A job that was not answered was taken in time.
    overTimeout: exchanges.filter(({ fact }) => fact.code === 'agent_timeout' && fact.jobMs === undefined)
      .length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    ...(slowest && probeOf(slowest.fact)),
  };
}

/** Wording of answers that tell of an input which the agent cannot use. */
const ERROR_LIKE =
  /\b(?:unknown|not found|invalid|cannot|can't|could not|couldn't|unable|errors?|no (?:such|results?|match(?:es)?|data|entry)|unsupported|sorry|missing|does not exist|not (?:valid|available|supported|recogni[sz]ed)|failed)\b/i;

/** Wording of answers of a service that does not work. */
const OUT_OF_ORDER =
  /\b(?:quota (?:was |is )?exceeded|internal (?:server )?error|upstream|service (?:is )?(?:temporarily )?(?:unavailable|down)|rate limit|too many requests|exception|traceback|ECONN\w{1,40}|timed? ?out|overloaded|under maintenance|something went wrong|invalid api key)\b/i;

interface Compared {
  all: readonly Exchange[];
  /** Without attempts of the red team. */
  ordinary: readonly Exchange[];
  /** Answers to inputs that were sent again. */
  repeats: readonly { input: string; answer: Buffer }[];
  /** True when inputs have fields for ordinary sentences. */
  hasText: boolean;
  /** A salt of the run, so that its hashes reveal nothing outside of it. */
  salt: string;
}

/**
 * Makes the answers to different inputs comparable. Numbers and ids are ignored, as clocks and counters change them.
 */
export function answersShare({ all, ordinary, repeats, hasText, salt }: Compared): AnswersShare {
  const byInput = answersByInput(all);
  const examples = new Set(all.filter(({ fact }) => fact.input === 'example').map(({ input }) => input));
  const hash = (text: string) =>
    createHash('sha256').update(`${salt}\n${text}`).digest('hex').slice(0, PRINT_LENGTH);
  const printOf = (input: string, text: string) => ({
    input: hash(input),
    text: hash(text),
    shape: hash(shapeOf(text)),
  });
  const usual = [...answersByInput(ordinary)];
  return {
    prints: [...byInput].map(([input, { text, fact }]) => ({ ...printOf(input, text), ...probeOf(fact) })),
    again: repeats.map(({ input, answer }) => printOf(input, textOfAnswer(answer).text)),
    isProse: [...byInput.values()].some(({ text }) => isMeant(text)),
    isMeaningful: hasText || examples.size >= 2,
    ordinary: {
      inputs: usual.length,
      alikeShapes: alikePairs(usual.map(([input, { text }]) => ({ input, shape: shapeOf(text) }))),
      alikeTexts: alikePairs(usual.map(([input, { text }]) => ({ input, shape: text }))),
    },
  };
}

/** Letters of a hash: enough for the answers of a run, and too few to find a text again. */
const PRINT_LENGTH = 10;

/** Share of common words above which two inputs may have the same answer for a reason. */
const MOST_COMMON = 0.25;

/** Pairs of inputs that have little in common and got the same answer. */
function alikePairs(given: readonly { input: string; shape: string }[]): number {
  const seen = given.map(({ input, shape }) => ({
    shape,
    words: new Set(input.toLowerCase().match(/[\p{L}\p{N}]+/gu)),
  }));
  let alike = 0;
  seen.forEach((one, at) => {
    for (const other of seen.slice(at + 1)) {
      const common = [...one.words].filter((word) => other.words.has(word)).length;
      const all = one.words.size + other.words.size - common;
      if (one.shape === other.shape && common <= all * MOST_COMMON) alike += 1;
    }
  });
  return alike;
}

function answersByInput(exchanges: readonly Exchange[]) {
  return new Map(
    exchanges.flatMap(({ input, answer, fact }) => {
      if (answer === null) return [];
      return [[input, { text: textOfAnswer(answer).text, fact }] as const];
    }),
  );
}

/** Without numbers and ids, if there are words. */
function shapeOf(text: string): string {
  return /[a-z]{3}/i.test(text) ? text.replace(/[0-9a-f]{8,}|\d+/gi, '0') : text;
}

/** True for prose that does not tell of an input which the agent cannot use. */
function isMeant(text: string): boolean {
  return text.split('\n').some(isProse) && (!ERROR_LIKE.test(text) || OUT_OF_ORDER.test(text));
}

function isProse(line: string): boolean {
  return line.length >= 12 && /\w \w/.test(line);
}

const FAULTS: ReadonlySet<string> = new Set(['agent_unreachable', 'agent_timeout', 'response_too_large']);

/**
 * Counts valid inputs whose first try failed by a server error, a broken connection or a timeout. A refusal (4xx) is
 * none.
 */
export function reliabilityOf(exchanges: readonly Exchange[]): ReliabilityFact {
  const isFault = ({ fact: { code, status, tries } }: Exchange) => {
    if (code === 'agent_error' && status !== null && status < 500) return false;
    return tries > 1 || FAULTS.has(code) || code === 'agent_error';
  };
  const faults = exchanges.filter(isFault);
  return { calls: exchanges.length, faults: faults.length, ...(faults[0] && probeOf(faults[0].fact)) };
}

/** How an agent reacted to an invalid input. */
export function outcomeOf(
  answer: { ok: boolean; code?: string; status?: number | undefined },
  problems: number,
): InvalidInputFact['outcome'] {
  if (answer.ok) return problems === 0 ? 'answered' : 'wrong_answer';
  if (answer.code === 'agent_timeout') return 'timeout';
  const { status = 0 } = answer;
  if (status === 200) return 'wrong_answer';
  return status >= 400 && status < 500 ? 'refused' : 'fault';
}

/** Builds a coverage with a single kind of gap. */
export function coverage(wanted: number, looked: number, missing: GapCode) {
  const gaps: Gap[] = looked < wanted ? [{ code: missing, count: wanted - looked }] : [];
  return { wanted, looked, gaps };
}
