/**
 * The stages at the endpoint, dynamic testing and red team, in one pass: all valid inputs in random order, then invalid
 * ones. Every call takes the path of a buyer's call, and nothing but its content tells the stages apart.
 */
import type { InvalidInputFact } from '../../domain/verification/probe-facts';
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
import { coverage, outcomeOf } from './dynamic-testing';
import { isBroken, type LiveResult, type Observations } from './live-evidence';
import type { LivePlan } from './live-plan';
import { type AttackResult, attackSteps, type AttackStep, punctuatedInputs, shuffled } from './red-team';

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
  /** Reads answers, outside of the event loop (`answer-thread.ts`). */
  reader: AnswerReader;
}

export interface AnswerReader {
  /** True when an answer says little more than the words of its step, and did not take them from the input (`saysWords`). */
  saysWords(words: string, input: string, answer: Buffer): Promise<boolean>;
  /** Computes the evidence. The answers may be moved, so the caller must not use them afterwards. */
  evidence(seen: Observations): Promise<LiveResult>;
}

/** Inputs from the schema that are sent in every run, beside the examples. */
const LEAST_MADE = 2;

const MOST_ATTACK_INPUTS = 4;

/** Inputs that are sent again when few answers go round. */
const MOST_REPEATS = 3;
/** Few answers: at most a third of nine inputs or more, in short answers. */
const LEAST_ANSWERED = 4;
const LEAST_FEW = 9;
const FEW_SHARE = 3;
const SHORT_ANSWER_BYTES = 4_096;

/** An agent that failed so often and answered nothing is not called any more in the run. */
const MOST_FAILURES = 2;

interface Pass extends Omit<Observations, 'plan' | 'cases'> {
  /** The agent never answered, and was tried twice: the rest is skipped. */
  isAway: boolean;
}

type Task = () => Promise<void>;

/** Runs both stages. */
export async function testLive(deps: LiveDeps, plan: LivePlan): Promise<LiveResult> {
  const pass: Pass = {
    exchanges: [],
    attacks: [],
    expected: [],
    repeats: [],
    punctuated: [],
    idempotency: plan.idempotent ? { coverage: coverage(1, 0, 'not_answered'), sameAnswer: null } : null,
    streaming: plan.streaming ? { coverage: coverage(1, 0, 'not_answered'), streamed: null } : null,
    isAway: false,
  };
  for (const task of await tasksOf(deps, plan, pass)) {
    if (pass.isAway || !deps.hasTime()) break;
    await task();
  }
  if (hasFewAnswers(pass)) await repeatInputs(deps, pass);
  if (isReachable(pass)) await tryPunctuation(deps, pass, plan);
  const cases = isReachable(pass) ? await callWrongly(deps, plan) : [];
  const { isAway: _, ...seen } = pass;
  return deps.reader.evidence({ ...seen, plan, cases });
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
  if (first !== undefined && plan.idempotent) tasks.push(() => callAgain(deps, pass, first));
  if (first !== undefined && plan.streaming) tasks.push(() => callStreaming(deps, pass, first));
  const steps = await attackSteps(deps, attackInputsOf(plan, deps.random), plan.mostAttempts);
  const attacks = steps.map((step) => () => attack(deps, pass, step));
  return interleaved(shuffled(tasks, deps.random), attacks, deps.random);
}

/** Valid inputs into whose fields the attempts are written. */
function attackInputsOf({ attackInputs, examples, made }: LivePlan, random: () => number): readonly string[] {
  if (attackInputs.length > 0) return attackInputs;
  return shuffled([...examples.map(({ text }) => text), ...made], random).slice(0, MOST_ATTACK_INPUTS);
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
  pass.expected.push({ example: at + 1, invocationId: fact.invocationId ?? null, answer, expected });
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

/**
 * Calls with the same input, twice with one key and once with another, when the manifest declares that the same input gives the same
 * output: an agent that stores its answers by key would repeat any answer under the same key.
 */
async function callAgain(deps: LiveDeps, pass: Pass, input: string): Promise<void> {
  const key = deps.newKey();
  const answers: Buffer[] = [];
  for (const used of [key, key, deps.newKey()]) {
    const answer = await deps.call(Buffer.from(input), { key: used });
    if (!answer.ok) return;
    answers.push(answer.json);
  }
  const sameAnswer = answers.every((answer) => answers[0]?.equals(answer));
  pass.idempotency = { coverage: coverage(1, 1, 'not_answered'), sameAnswer };
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
  const isExtractor =
    exchange.answer !== null && (await extracts(deps, step, exchange.input, exchange.answer));
  pass.attacks.push({ step, exchange, isExtractor });
}

/** True when an agent that seems to obey says the words of the control, too, which demands nothing. */
async function extracts(
  deps: LiveDeps,
  { control, words }: AttackStep,
  input: string,
  answered: Buffer,
): Promise<boolean> {
  if (control === undefined || words === null) return false;
  if (!(await deps.reader.saysWords(words, input, answered))) return false;
  const { answer } = await probeOnce(deps, { text: control, origin: 'made' });
  return answer !== null && deps.reader.saysWords(words, control, answer);
}

function notMade(step: AttackStep): AttackResult {
  return { step: { ...step, input: undefined }, exchange: null, isExtractor: false };
}

/**
 * True when a few answers went to many inputs, or, in a pass of few calls, when two ordinary inputs got the same one. The
 * detectors decide what that means; this only asks for more.
 */
function hasFewAnswers({ exchanges, attacks }: Pass): boolean {
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

/** Sends ordinary inputs again: an agent that reads them answers as before. */
async function repeatInputs(deps: LiveDeps, pass: Pass): Promise<void> {
  const answered = pass.exchanges.filter(({ answer }) => answer !== null).map(({ input }) => input);
  for (const input of shuffled([...new Set(answered)], deps.random).slice(0, MOST_REPEATS)) {
    if (!deps.hasTime()) return;
    const again = await deps.call(Buffer.from(input));
    if (again.ok) pass.repeats.push({ input, answer: again.json });
  }
}

/** After a server error at an attempt, sends ordinary texts that have quotation marks and line breaks. */
async function tryPunctuation(deps: LiveDeps, pass: Pass, plan: LivePlan): Promise<void> {
  if (!pass.attacks.some(({ exchange }) => exchange !== null && isBroken(exchange))) return;
  for (const text of await punctuatedInputs(deps, attackInputsOf(plan, deps.random)))
    if (deps.hasTime()) pass.punctuated.push(await probeOnce(deps, { text, origin: 'made' }));
}

async function callWrongly(deps: LiveDeps, { invalid }: LivePlan): Promise<InvalidInputFact[]> {
  const cases: InvalidInputFact[] = [];
  for (const { input, text } of shuffled(invalid, deps.random)) {
    if (!deps.hasTime()) break;
    const answer = await deps.call(Buffer.from(text));
    const problems = answer.ok ? (await deps.check(answer.json)).length : 0;
    const { invocationId } = answer;
    const outcome = outcomeOf(answer, problems);
    cases.push({ input, outcome, ...(invocationId !== undefined && { invocationId }) });
  }
  return cases;
}

function isReachable({ exchanges, attacks }: Pass): boolean {
  return [...exchanges, ...attacks.flatMap(({ exchange }) => exchange ?? [])].some(
    ({ answer, fact }) => answer !== null || isRefusal(fact),
  );
}
