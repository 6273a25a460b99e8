/**
 * The dynamic testing stage: calls with valid inputs, then checks of the manifest's promises, then invalid inputs.
 * Every call looks like a buyer's; calls that a buyer could not make come last. Evidence consists of facts: codes,
 * durations, positions in an answer, kinds of personal data; never a body, the endpoint or a secret.
 */
import type { Gap, GapCode } from '../../domain/evidence/evidence-facts';
import type {
  DynamicEvidence,
  InvalidInputFact,
  PersonalDataKind,
} from '../../domain/verification/probe-facts';
import { textOfAnswer } from './answer-text';
import { type Exchange, mayPass, probe, type ProbeAnswer, type ProbeDeps } from './conformance-probe';
import { personalDataIn } from './personal-data';

export interface DynamicCall {
  /** Idempotency key: repeats the call with this key, like a buyer who lost the answer. */
  key?: string;
  /** True for a streaming call. */
  streams?: boolean;
}

export interface DynamicDeps extends ProbeDeps {
  /** Makes a call. `streamed` is true when a chunk arrived before the end. */
  call(input: Buffer, how?: DynamicCall): Promise<ProbeAnswer & { streamed?: boolean }>;
  newKey(): string;
  /** False when the time of the stage is used up; the remaining checks are then skipped. */
  hasTime(): boolean;
}

export interface DynamicPlan {
  /** Valid inputs; `wanted` is the intended number. */
  inputs: readonly string[];
  wanted: number;
  /** Why there are fewer inputs than intended. */
  gap: GapCode;
  invalid: readonly { input: InvalidInputFact['input']; text: string }[];
  invalidWanted: number;
  timeoutMs: number;
  limitBytes: number;
  idempotent: boolean;
  streaming: boolean;
}

export type CallEvidence = Pick<
  DynamicEvidence,
  'conformance' | 'latency' | 'invalidInput' | 'responseSize' | 'idempotency' | 'streaming'
> & {
  personalData: { coverage: DynamicEvidence['dataHandling']['coverage']; outputs: PersonalDataKind[][] };
};

/** Runs the stage. */
export async function testAgent(deps: DynamicDeps, plan: DynamicPlan): Promise<CallEvidence> {
  const exchanges = await callAll(deps, plan);
  const idempotency = plan.idempotent ? await callTwice(deps, plan, exchanges) : null;
  const streaming = plan.streaming ? await callStreaming(deps, plan, exchanges) : null;
  const cases = isReachable(exchanges) ? await callWrongly(deps, plan) : [];
  const answered = exchanges.filter(({ answer }) => answer !== null);
  const texts = answered.map(({ input, answer }) => ({ input, ...textOfAnswer(answer ?? Buffer.alloc(0)) }));
  const cut = texts.filter(({ isCut }) => isCut).length;
  return {
    conformance: {
      coverage: coverage(
        plan.wanted,
        exchanges.length,
        plan.inputs.length < plan.wanted ? plan.gap : 'not_answered',
      ),
      probes: exchanges.map(({ fact }) => fact),
    },
    latency: latencyOf(plan, exchanges),
    invalidInput: {
      coverage: coverage(plan.invalidWanted, cases.length, plan.gap),
      cases,
    },
    responseSize: {
      coverage: coverage(plan.wanted, answered.length, 'not_answered'),
      largestBytes: Math.max(0, ...answered.map(({ answer }) => answer?.length ?? 0)),
      limitBytes: plan.limitBytes,
    },
    idempotency,
    streaming,
    personalData: {
      coverage: coverage(plan.wanted, texts.length - cut, 'not_answered'),
      outputs: texts.map(({ input, text }) => personalDataIn(text, input)),
    },
  };
}

/** Calls once with each input, retrying a broken connection once. Stops when the agent does not answer at all. */
async function callAll(deps: DynamicDeps, { inputs }: DynamicPlan): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const input of inputs) {
    if (exchanges.length > 0 && !deps.hasTime()) break;
    const exchange = await probe(deps, input);
    exchanges.push(exchange);
    if (mayPass(exchange)) break;
  }
  return exchanges;
}

function isReachable(exchanges: readonly Exchange[]): boolean {
  return exchanges.some(({ answer }) => answer !== null);
}

function latencyOf(
  { timeoutMs, wanted }: DynamicPlan,
  exchanges: readonly Exchange[],
): DynamicEvidence['latency'] {
  const sorted = exchanges
    .filter(({ answer }) => answer !== null)
    .map(({ fact }) => fact.durationMs)
    .sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? null;
  return {
    coverage: coverage(wanted, sorted.length, 'not_answered'),
    timeoutMs,
    overTimeout: exchanges.filter(({ fact }) => fact.code === 'agent_timeout').length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
  };
}

/** Calls twice with the same input and key, when the manifest declares idempotency. */
async function callTwice(
  deps: DynamicDeps,
  { inputs }: DynamicPlan,
  exchanges: readonly Exchange[],
): Promise<DynamicEvidence['idempotency']> {
  const input = inputs[0];
  if (input === undefined || !isReachable(exchanges) || !deps.hasTime())
    return { coverage: coverage(1, 0, 'not_answered'), sameAnswer: null };
  const key = deps.newKey();
  const first = await deps.call(Buffer.from(input), { key });
  const second = await deps.call(Buffer.from(input), { key });
  if (!first.ok || !second.ok) return { coverage: coverage(1, 0, 'not_answered'), sameAnswer: null };
  return { coverage: coverage(1, 1, 'not_answered'), sameAnswer: first.json.equals(second.json) };
}

async function callStreaming(
  deps: DynamicDeps,
  { inputs }: DynamicPlan,
  exchanges: readonly Exchange[],
): Promise<DynamicEvidence['streaming']> {
  const input = inputs[0];
  const answer =
    input !== undefined && isReachable(exchanges) && deps.hasTime()
      ? await deps.call(Buffer.from(input), { streams: true })
      : undefined;
  if (!answer?.ok) return { coverage: coverage(1, 0, 'not_answered'), streamed: null };
  return { coverage: coverage(1, 1, 'not_answered'), streamed: answer.streamed ?? false };
}

async function callWrongly(deps: DynamicDeps, { invalid }: DynamicPlan): Promise<InvalidInputFact[]> {
  const cases: InvalidInputFact[] = [];
  for (const { input, text } of invalid) {
    if (!deps.hasTime()) break;
    cases.push({ input, outcome: await outcomeOf(deps, text) });
  }
  return cases;
}

async function outcomeOf(deps: DynamicDeps, text: string): Promise<InvalidInputFact['outcome']> {
  const answer = await deps.call(Buffer.from(text));
  if (answer.ok) return (await deps.check(answer.json)).length === 0 ? 'answered' : 'wrong_answer';
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
