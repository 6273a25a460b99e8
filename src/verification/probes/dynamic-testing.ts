/**
 * The dynamic testing stage: calls with valid inputs, then what the manifest promises besides, then invalid input. Each
 * looks like a call of a buyer; those that a buyer could not make come last. Evidence is facts: codes, durations,
 * places in an answer, kinds of personal data; never a body, the endpoint or a secret.
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
  /** Repeats the call of the same key, as a buyer does who has lost the answer. */
  key?: string;
  /** As a buyer does who reads while the agent speaks. */
  streams?: boolean;
}

export interface DynamicDeps extends ProbeDeps {
  /** `streamed`: a piece came before the end. */
  call(input: Buffer, how?: DynamicCall): Promise<ProbeAnswer & { streamed?: boolean }>;
  newKey(): string;
  /** False when the stage has taken its time: what is left is not looked at. */
  hasTime(): boolean;
}

export interface DynamicPlan {
  /** Valid inputs; `wanted` of them would be better. */
  inputs: readonly string[];
  wanted: number;
  /** Why there are fewer. */
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

/** Every input once, a broken connection once more; an agent that does not answer at all is not asked further. */
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

/** The same input under the same key, where the manifest promises that this is safe. */
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

/** What is missing has one reason. */
export function coverage(wanted: number, looked: number, missing: GapCode) {
  const gaps: Gap[] = looked < wanted ? [{ code: missing, count: wanted - looked }] : [];
  return { wanted, looked, gaps };
}
