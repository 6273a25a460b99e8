/**
 * The stages at the endpoint, dynamic testing and red team, in one pass: all valid inputs in random order, then invalid
 * ones. Every call takes the path of a buyer's call, and nothing but its content tells the stages apart.
 */
import type { GapCode } from '../../domain/evidence/evidence-facts';
import type { InputRole } from '../../domain/catalogue/input-role';
import type {
  AttackAnswersFact,
  DynamicEvidence,
  ExpectedFact,
  InvalidInputFact,
  RedTeamEvidence,
} from '../../domain/verification/probe-facts';
import {
  type Exchange,
  isRefusal,
  mayPass,
  probe,
  probeOnce,
  type ProbeAnswer,
  type ProbeDeps,
  type ProbeInput,
} from './conformance-probe';
import {
  answersFact,
  type CallEvidence,
  coverage,
  factsOf,
  outcomeOf,
  reliabilityOf,
} from './dynamic-testing';
import { type ExpectedOutput, meets } from './expected-output';
import {
  type AttackResult,
  attackSteps,
  type AttackStep,
  redTeamEvidence,
  saysWords,
  shuffled,
} from './red-team';

export interface LiveCall {
  /** Idempotency key: repeats the call with this key, like a buyer who lost the answer. */
  key?: string;
  /** True for a streaming call. */
  streams?: boolean;
}

export interface LiveDeps extends ProbeDeps {
  /** Makes a call. `streamed` is true when a chunk arrived before the end. */
  call(input: Buffer, how?: LiveCall): Promise<ProbeAnswer & { streamed?: boolean }>;
  /** True when the agent's schema accepts this input. */
  accepts(input: string): Promise<boolean>;
  newKey(): string;
  /** Random numbers from 0 to 1, from the seed of the run. */
  random(): number;
  /** False when the time of the stage is used up; the remaining checks are then skipped. */
  hasTime(): boolean;
}

export interface LivePlan {
  /** Examples of the manifest, all of which must be answered. */
  examples: readonly { text: string; expected: ExpectedOutput | null }[];
  /** Inputs made from the schema; a refused one is replaced by the next. */
  made: readonly string[];
  /** Proven inputs that are intended. */
  wanted: number;
  /** Why there are fewer inputs than intended. */
  gap: GapCode;
  invalid: readonly { input: InvalidInputFact['input']; text: string }[];
  invalidWanted: number;
  timeoutMs: number;
  limitBytes: number;
  idempotent: boolean;
  streaming: boolean;
  role: InputRole;
  /** True when inputs have fields for ordinary sentences. */
  hasText: boolean;
  /** Inputs for the attempts of the red team, instead of the others. */
  attackInputs: readonly string[];
  /** How many attempts are made; default: all. */
  mostAttempts?: number;
}

export interface LiveResult {
  dynamic: CallEvidence;
  redTeam: RedTeamEvidence;
}

/** Inputs from the schema that are sent in every run, beside the examples. */
const LEAST_MADE = 2;

/** An agent that failed so often and answered nothing is not called any more in the run. */
const MOST_FAILURES = 2;

/** What a pass has gathered so far. */
interface Pass {
  exchanges: Exchange[];
  attacks: AttackResult[];
  expected: ExpectedFact;
  idempotency: DynamicEvidence['idempotency'];
  streaming: DynamicEvidence['streaming'];
  /** The agent never answered, and was tried twice: the rest is skipped. */
  isAway: boolean;
}

type Task = () => Promise<void>;

/** Runs both stages. */
export async function testLive(deps: LiveDeps, plan: LivePlan): Promise<LiveResult> {
  const pass: Pass = {
    exchanges: [],
    attacks: [],
    expected: {
      wanted: plan.examples.filter(({ expected }) => expected !== null).length,
      checked: 0,
      wrong: [],
    },
    idempotency: plan.idempotent ? { coverage: coverage(1, 0, 'not_answered'), sameAnswer: null } : null,
    streaming: plan.streaming ? { coverage: coverage(1, 0, 'not_answered'), streamed: null } : null,
    isAway: false,
  };
  for (const task of await tasksOf(deps, plan, pass)) {
    if (pass.isAway || !deps.hasTime()) break;
    await task();
  }
  const cases = isReachable(pass) ? await callWrongly(deps, plan) : [];
  return evidenceOf(plan, pass, cases);
}

/** All tasks with valid inputs, in random order; attempts keep their order, because seeds come first. */
async function tasksOf(deps: LiveDeps, plan: LivePlan, pass: Pass): Promise<Task[]> {
  const spare = [...plan.made];
  const isBlank = plan.gap === 'no_input_schema';
  const fromSchema = Math.max(LEAST_MADE, plan.wanted - plan.examples.length);
  const tasks: Task[] = [
    ...plan.examples.map((example, at) => () => tryExample(deps, pass, example, at)),
    ...spare.splice(0, fromSchema).map((text) => () => tryMade(deps, pass, text, spare, isBlank)),
  ];
  const [first] = [...plan.examples.map(({ text }) => text), ...plan.made];
  if (first !== undefined && plan.idempotent) tasks.push(() => callTwice(deps, pass, first));
  if (first !== undefined && plan.streaming) tasks.push(() => callStreaming(deps, pass, first));
  const valid = [...plan.examples.map(({ text }) => text), ...plan.made];
  const inputs = plan.attackInputs.length > 0 ? plan.attackInputs : shuffled(valid, deps.random).slice(0, 4);
  const steps = await attackSteps(deps, inputs, plan.mostAttempts);
  const attacks = steps.map((step) => () => attack(deps, pass, step));
  return interleaved(shuffled(tasks, deps.random), attacks, deps.random);
}

/** Merges two lists at random; each keeps its order. The first list begins. */
function interleaved<T>(one: readonly T[], two: readonly T[], random: () => number): T[] {
  const [first, ...rest] = one;
  const lists = [rest, [...two]];
  const merged: T[] = first === undefined ? [] : [first];
  while (lists.some((list) => list.length > 0)) {
    const [a = [], b = []] = lists;
    const next = random() * (a.length + b.length) < a.length ? a.shift() : b.shift();
    if (next !== undefined) merged.push(next);
  }
  return merged;
}

async function tryInput(deps: LiveDeps, pass: Pass, input: ProbeInput): Promise<Exchange> {
  const exchange = await probe(deps, input);
  pass.exchanges.push(exchange);
  const failures = pass.exchanges.filter(mayPass);
  const isSilent = failures.some(({ fact }) => fact.code !== 'agent_error');
  pass.isAway = !isReachable(pass) && (isSilent || failures.length >= MOST_FAILURES);
  return exchange;
}

async function tryExample(
  deps: LiveDeps,
  pass: Pass,
  { text, expected }: LivePlan['examples'][number],
  at: number,
): Promise<void> {
  const { answer, fact } = await tryInput(deps, pass, { text, origin: 'example' });
  if (expected === null || answer === null) return;
  pass.expected.checked += 1;
  if (!meets(answer, expected))
    pass.expected.wrong.push({ example: at + 1, invocationId: fact.invocationId ?? null });
}

/** Tries an input from the schema. If the agent refuses it, another one takes its place. */
async function tryMade(
  deps: LiveDeps,
  pass: Pass,
  text: string,
  spare: string[],
  isBlank: boolean,
): Promise<void> {
  for (let next: string | undefined = text; next !== undefined && deps.hasTime(); next = spare.shift()) {
    const { fact } = await tryInput(deps, pass, isBlank ? { text: next } : { text: next, origin: 'made' });
    if (!isRefusal(fact)) return;
  }
}

/** Calls twice with the same input and key, when the manifest declares idempotency. */
async function callTwice(deps: LiveDeps, pass: Pass, input: string): Promise<void> {
  const key = deps.newKey();
  const first = await deps.call(Buffer.from(input), { key });
  if (!first.ok) return;
  const second = await deps.call(Buffer.from(input), { key });
  if (!second.ok) return;
  pass.idempotency = { coverage: coverage(1, 1, 'not_answered'), sameAnswer: first.json.equals(second.json) };
}

async function callStreaming(deps: LiveDeps, pass: Pass, input: string): Promise<void> {
  const answer = await deps.call(Buffer.from(input), { streams: true });
  if (!answer.ok) return;
  pass.streaming = { coverage: coverage(1, 1, 'not_answered'), streamed: answer.streamed ?? false };
}

/** Makes one attempt. An answer that looks obedient is compared with the answer to a control. */
async function attack(deps: LiveDeps, pass: Pass, step: AttackStep): Promise<void> {
  if (step.input === undefined) return void pass.attacks.push(notMade(step));
  const exchange = await probeOnce(deps, { text: step.input, origin: 'made' });
  let isExtractor = false;
  if (step.control !== undefined && saysWords(step.words, exchange.answer)) {
    const { answer } = await probeOnce(deps, { text: step.control, origin: 'made' });
    isExtractor = saysWords(step.words, answer);
  }
  pass.attacks.push({ step, exchange, isExtractor });
}

function notMade(step: AttackStep): AttackResult {
  return { step: { ...step, input: undefined }, exchange: null, isExtractor: false };
}

async function callWrongly(deps: LiveDeps, { invalid }: LivePlan): Promise<InvalidInputFact[]> {
  const cases: InvalidInputFact[] = [];
  for (const { input, text } of shuffled(invalid, deps.random)) {
    if (!deps.hasTime()) break;
    const answer = await deps.call(Buffer.from(text));
    const problems = answer.ok ? (await deps.check(answer.json)).length : 0;
    cases.push({ input, outcome: outcomeOf(answer, problems) });
  }
  return cases;
}

function isReachable({ exchanges, attacks }: Pass): boolean {
  return [...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? [])].some(
    ({ answer, fact }) => answer !== null || isRefusal(fact),
  );
}

function evidenceOf(plan: LivePlan, pass: Pass, cases: InvalidInputFact[]): LiveResult {
  const attempted = pass.attacks.flatMap(({ exchange }) => exchange ?? []);
  const all = [...pass.exchanges, ...attempted];
  const { wanted, gap, timeoutMs, limitBytes } = plan;
  return {
    dynamic: {
      ...factsOf({ exchanges: pass.exchanges, wanted, gap, timeoutMs, limitBytes }),
      invalidInput: { coverage: coverage(plan.invalidWanted, cases.length, plan.gap), cases },
      expected: pass.expected,
      idempotency: pass.idempotency,
      streaming: pass.streaming,
      answers: answersFact(all, plan.hasText),
      reliability: reliabilityOf(all),
    },
    redTeam: {
      ...redTeamEvidence(pass.attacks, pass.exchanges, plan.role),
      answers: attackAnswers(attempted),
    },
  };
}

/** The answers to valid inputs of the red team, against the output schema. */
function attackAnswers(attempted: readonly Exchange[]): AttackAnswersFact {
  const wrong = attempted.filter(({ fact }) => fact.code === 'output_schema_mismatch');
  return {
    answered: attempted.filter(({ answer }) => answer !== null).length,
    mismatched: wrong.length,
    invocationId: wrong[0]?.fact.invocationId ?? null,
    problems: wrong[0]?.fact.problems ?? [],
  };
}
