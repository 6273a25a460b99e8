/**
 * The stages at the endpoint, dynamic testing and red team. Each makes and judges its own calls, in the slots of one
 * order that both draw from the seed of the run: valid inputs at random, then invalid ones. Every call takes the path
 * of a buyer's call, and nothing but its content tells the stages apart.
 */
import type {
  DynamicEvidence,
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
import { type CallEvidence, coverage, outcomeOf } from './dynamic-testing';
import { joinShares } from '../../domain/verification/live-shares';
import { hasFewAnswers, isBroken, isReachable, type LiveResults, type Observations } from './live-evidence';
import type { AnswerReader } from './live-evidence';
import { interleaved, type LivePlan, type LiveStage } from './live-plan';
import { createCallOrder, type Place } from '../turns/call-order';
import { runInSlots } from '../turns/slow-agents';
import {
  attackInputsOf,
  type AttackResult,
  attackSteps,
  type AttackStep,
  punctuatedInputs,
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
  /** Begins a job and cancels it, if the agent calls back about its jobs. */
  tryCancelled?(input: string | undefined): Promise<void>;
  newKey(): string;
  /** Random numbers from 0 to 1, from the seed of the run. */
  random(): number;
  /** Further random numbers, the same for each stage of the run: those of the plan. */
  drawn(what: 'attempts' | 'order'): () => number;
  /** False when the time of the stage is used up; the remaining checks are then skipped. */
  hasTime(): boolean;
  /** Reads answers, outside of the event loop (`answer-thread.ts`). */
  reader: AnswerReader;
}

/** Inputs from the schema that are sent in every run, beside the examples. */
const LEAST_MADE = 2;

/** Inputs that are sent again when few answers go round. */
const MOST_REPEATS = 3;
/** An agent that failed so often and answered nothing is not called any more in the run. */
const MOST_FAILURES = 2;

interface Pass extends Omit<Observations, 'plan' | 'cases' | 'canaries'> {
  /** The agent never answered, and was tried twice: the rest is skipped. */
  isAway: boolean;
}

interface Task {
  stage: LiveStage;
  work(pass: Pass): Promise<unknown>;
}

/** Makes the calls of one stage, each in its slot, and computes the evidence from their answers. */
export async function testStage<S extends LiveStage>(
  deps: LiveDeps,
  plan: LivePlan,
  stage: S,
  place: Place,
): Promise<LiveResults[S]> {
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
  const { tasks, steps } = await drawTasks(deps, plan);
  const own = [...tasks.entries()].filter(([, task]) => task.stage === stage);
  const slots = own.map(([slot, { work }]) => ({ slot, work: () => work(pass) }));
  await runInSlots(place, slots, pass, () => !pass.isAway && deps.hasTime());
  // The red team has more answers, so it repeats inputs, unless no field takes its texts.
  const repeats = stage === (steps.some(({ input }) => input !== undefined) ? 'redTeam' : 'dynamic');
  if (repeats && hasFewAnswers(pass)) await place.run(tasks.length, () => repeatInputs(deps, pass));
  const cases: InvalidInputFact[] = [];
  if (stage === 'redTeam') {
    pass.attacks.push(...steps.filter(({ input }) => input === undefined).map(notMade));
    if (isReachable(pass)) await place.run(tasks.length + 1, () => tryPunctuation(deps, pass, plan));
  } else if (isReachable(pass)) {
    cases.push(...(await place.run(tasks.length + 2, () => callWrongly(deps, plan))));
  }
  const { isAway: _, ...seen } = pass;
  const canaries = steps.map(({ canary }) => canary);
  return deps.reader.evidence(stage, { ...seen, plan, cases, canaries });
}

/** What both stages found. */
export interface LiveFound {
  dynamic: Omit<CallEvidence, 'share'> &
    Pick<DynamicEvidence, 'answers' | 'reliability' | 'share'> & {
      dataHandling: Pick<DynamicEvidence['dataHandling'], 'personalData'>;
    };
  redTeam: RedTeamEvidence;
}

/** Runs both stages in this process, and joins what they found. */
export async function testLive(deps: LiveDeps, plan: LivePlan): Promise<LiveFound> {
  const order = createCallOrder();
  const run = async <S extends LiveStage>(stage: S, place: Place) => {
    try {
      return await testStage(deps, plan, stage, place);
    } finally {
      place.leave();
    }
  };
  const places = [order.join(), order.join()] as const;
  const [dynamic, redTeam] = await Promise.all([run('dynamic', places[0]), run('redTeam', places[1])]);
  return joinShares<LiveFound>({ dynamic: { ...dynamic, dataHandling: { personalData: [] } }, redTeam });
}

/** All tasks with valid inputs, in random order; attempts keep their order, because seeds come first. */
async function drawTasks(deps: LiveDeps, plan: LivePlan): Promise<{ tasks: Task[]; steps: AttackStep[] }> {
  const steps = await attackSteps(
    { ...deps, random: deps.drawn('attempts'), spreads: plan.spares !== undefined },
    attackInputsOf(plan),
    plan.mostAttempts,
  );
  const random = deps.drawn('order');
  const calls = shuffled(dynamicTasks(deps, plan), random);
  return { tasks: interleaved(calls, attackTasks(deps, plan, steps), random), steps };
}

function dynamicTasks(deps: LiveDeps, plan: LivePlan): Task[] {
  const spare = [...plan.made];
  const isBlank = plan.gap === 'no_input_schema';
  const fromSchema = Math.max(LEAST_MADE, plan.wanted - plan.examples.length);
  const works: Task['work'][] = [
    ...plan.examples.map((example, at) => (pass: Pass) => tryExample(deps, pass, example, at)),
    ...spare.splice(0, fromSchema).map((text, at) => {
      const others = plan.spares ? [...(plan.spares[at] ?? [])] : spare;
      return (pass: Pass) => tryMade(deps, pass, text, others, isBlank);
    }),
  ];
  const first = plan.examples[0]?.text ?? plan.made[0];
  if (first !== undefined && plan.idempotent) works.push((pass) => callAgain(deps, pass, first));
  if (first !== undefined && plan.streaming) works.push((pass) => callStreaming(deps, pass, first));
  return works.map((work) => ({ stage: 'dynamic', work }));
}

/** Ordinary inputs first, whose answers show what is usual. There are none if no field takes a text. */
function attackTasks(deps: LiveDeps, plan: LivePlan, steps: readonly AttackStep[]): Task[] {
  const made = steps.filter(({ input }) => input !== undefined);
  const spare = made.length > 0 ? [...plan.baseline] : [];
  const isBlank = plan.gap === 'no_input_schema';
  const works: Task['work'][] = [
    ...spare
      .splice(0, plan.mostBaseline)
      .map((text) => (pass: Pass) => tryMade(deps, pass, text, spare, isBlank)),
    ...made.map((step) => (pass: Pass) => attack(deps, pass, step)),
  ];
  return works.map((work) => ({ stage: 'redTeam', work }));
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
 * Calls with the same input, twice with one key and once with another, when the manifest declares that the same input
 * gives the same output: an agent that stores its answers by key would repeat any answer under the same key.
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
  if (step.input === undefined) return;
  const exchange = await probeOnce(deps, { text: step.input, origin: 'made' });
  const isExtractor =
    exchange.answer !== null && (await extracts(deps, step, exchange.input, exchange.answer));
  pass.attacks.push({ step, exchange, isExtractor });
}

/** True if the agent also says the words of the control input, which does not demand them. */
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
  return { step, exchange: null, isExtractor: false };
}

/** Sends ordinary inputs and canaries again: an agent that reads them answers as before, one that counts does not. */
async function repeatInputs(deps: LiveDeps, pass: Pass): Promise<void> {
  const seeds = pass.attacks.flatMap(({ step, exchange }) => (step.attempt ? [] : (exchange ?? [])));
  const sent = [...pass.exchanges, ...seeds];
  const answered = sent.filter(({ answer }) => answer !== null).map(({ input }) => input);
  for (const input of shuffled([...new Set(answered)], deps.random).slice(0, MOST_REPEATS)) {
    if (!deps.hasTime()) return;
    const again = await deps.call(Buffer.from(input));
    if (again.ok) pass.repeats.push({ input, answer: again.json });
  }
}

/** After a server error at an attempt, sends ordinary texts that have quotation marks and line breaks. */
async function tryPunctuation(deps: LiveDeps, pass: Pass, plan: LivePlan): Promise<void> {
  if (!pass.attacks.some(({ exchange }) => exchange !== null && isBroken(exchange))) return;
  for (const text of await punctuatedInputs(deps, attackInputsOf(plan)))
    if (deps.hasTime()) pass.punctuated.push(await probeOnce(deps, { text, origin: 'made' }));
}

async function callWrongly(
  deps: LiveDeps,
  { invalid, examples, made }: LivePlan,
): Promise<InvalidInputFact[]> {
  const cases: InvalidInputFact[] = [];
  if (deps.hasTime()) await deps.tryCancelled?.(examples[0]?.text ?? made[0]);
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
