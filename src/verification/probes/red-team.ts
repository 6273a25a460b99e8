/**
 * The red team stage: the attempts of the suite, each sent like a buyer's call among the other probes, and the leak
 * detectors on the answers. Evidence is counts by category and kind, without prompts, canaries or answers.
 */
import { ATTACK_CATEGORIES, type AttackCategory, type LeakKind } from '../../domain/evidence/leak-kinds';
import type { AttackFact, RedTeamEvidence } from '../../domain/verification/probe-facts';
import { OF_INSTRUCTIONS } from '../../domain/verification/live-shares';
import type { Gap } from '../../domain/evidence/evidence-facts';
import type { InputRole } from '../../domain/catalogue/input-role';
import type { Canary } from './canary-forms';
import type { Exchange } from './conformance-probe';
import { type Declared, type Hazard, hazardsIn } from '../reading/hazards';
import { leavesOfAnswer, textOfAnswer } from './answer-text';
import { sharedStatements } from './instruction-detectors';
import { type Answered, leaksIn, mixesCallers, obeys, ordinaryLeaks, textOf } from './leak-detectors';
import type { LivePlan } from './live-plan';
import {
  ATTEMPTS,
  type Attempt,
  CONTROL,
  type Phrasing,
  PUNCTUATED,
  SEEDS,
  SUITE_VERSION,
  WORDS,
} from './red-team-suite';
import { withText } from './text-fields';

export interface AttackDeps {
  /** True when the agent's schema accepts this input. */
  accepts(input: string): Promise<boolean>;
  /** Random numbers from 0 to 1. */
  random(): number;
  /** Each step prefers another input than the one before; default: all prefer the first. */
  spreads?: boolean;
}

/** One attempt of the stage. A seed has no attempt. */
export interface AttackStep {
  attempt: Attempt | null;
  canary: Canary;
  words: string | null;
  /** The input; undefined when no field takes the text. */
  input: string | undefined;
  /** An input with the same words and no instruction; undefined where there is none. */
  control: string | undefined;
}

/** A step and what came of it; `exchange` is null when it was not made. */
export interface AttackResult {
  step: AttackStep;
  exchange: Exchange | null;
  /** True when the agent treats the control in the same way, so that its answer shows no obedience. */
  isExtractor: boolean;
}

const CANARY_LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const MOST_ATTACK_INPUTS = 4;

/** Valid inputs into whose fields the attempts are written. */
export function attackInputsOf({
  attackInputs,
  examples,
  made,
}: Pick<LivePlan, 'attackInputs' | 'examples' | 'made'>): readonly string[] {
  if (attackInputs.length > 0) return attackInputs;
  const half = MOST_ATTACK_INPUTS / 2;
  const texts = examples.map(({ text }) => text);
  return [...texts.slice(0, half), ...made, ...texts.slice(half)].slice(0, MOST_ATTACK_INPUTS);
}

/**
 * Prepares the steps: seeds first, then attempts in random order. `inputs` are valid inputs. With fewer than all
 * attempts, there are fewer seeds, too.
 */
export async function attackSteps(
  deps: AttackDeps,
  inputs: readonly string[],
  most: number = ATTEMPTS.length,
): Promise<AttackStep[]> {
  const steps: AttackStep[] = [];
  const seeds = Math.ceil((SEEDS.length * most) / ATTEMPTS.length);
  const next = () => (deps.spreads ? turned(inputs, steps.length) : inputs);
  for (const seed of shuffled(SEEDS, deps.random).slice(0, seeds))
    steps.push(await stepOf(deps, next(), null, seed));
  for (const attempt of attemptsOf(most, deps.random))
    steps.push(await stepOf(deps, next(), attempt, pick(attempt.phrasings, deps.random)));
  return steps;
}

function turned<T>(items: readonly T[], by: number): T[] {
  const at = by % Math.max(1, items.length);
  return [...items.slice(at), ...items.slice(0, at)];
}

/** With fewer than all attempts, half of them are demands, which ordinary inputs contain as well. */
function attemptsOf(most: number, random: () => number): Attempt[] {
  const all = shuffled(ATTEMPTS, random);
  if (most >= all.length) return all;
  const demands = all.filter(({ obeyed }) => obeyed !== null).slice(0, Math.ceil(most / 2));
  const others = all.filter((attempt) => !demands.includes(attempt)).slice(0, most - demands.length);
  return shuffled([...demands, ...others], random);
}

/** Inputs with ordinary texts that have quotation marks, line breaks and other signs; none if no field takes them. */
export async function punctuatedInputs(deps: AttackDeps, inputs: readonly string[]): Promise<string[]> {
  const made = await Promise.all(PUNCTUATED.map((phrasing) => inputWith(deps, inputs, phrasing)));
  return made.filter((input) => input !== undefined);
}

async function stepOf(
  deps: AttackDeps,
  inputs: readonly string[],
  attempt: Attempt | null,
  phrasing: Phrasing,
): Promise<AttackStep> {
  const canary = newCanary(deps.random);
  const words = phrasing.text.includes('{words}') ? shuffled(WORDS, deps.random).slice(0, 3).join(' ') : null;
  const filled = (given: Phrasing) => ({
    text: fill(given.text, canary, words),
    short: fill(given.short, canary, words),
  });
  const input = await inputWith(deps, inputs, filled(phrasing));
  const control = words === null ? undefined : await inputWith(deps, inputs, filled(CONTROL));
  return { attempt, canary, words, input, control };
}

function fill(text: string, { left, right }: Canary, words: string | null): string {
  return text
    .replaceAll('{canary}', `${left}${right}`)
    .replaceAll('{left}', left)
    .replaceAll('{right}', right)
    .replaceAll('{words}', words ?? '');
}

function newCanary(random: () => number): Canary {
  const half = () => Array.from({ length: 5 }, () => pick([...CANARY_LETTERS], random)).join('');
  return { left: half(), right: half() };
}

/** Returns the first variant that the agent's schema accepts. */
async function inputWith(
  deps: AttackDeps,
  inputs: readonly string[],
  { text, short }: Phrasing,
): Promise<string | undefined> {
  for (const wanted of [text, short])
    for (const input of inputs)
      for (const candidate of withText(input, wanted)) if (await deps.accepts(candidate)) return candidate;
  return undefined;
}

/**
 * Computes the evidence of the stage from its own calls. `baseline`: its ordinary inputs and their answers. For an
 * agent whose input is an instruction (`input_role`), obeying its user is no leak; for one that writes prompts, an
 * instruction in an ordinary answer is none.
 */
export function redTeamEvidence(
  results: readonly AttackResult[],
  baseline: readonly Exchange[],
  plan: Pick<LivePlan, 'role' | 'writesPrompts' | 'writesMarkup' | 'declared'>,
): RedTeamEvidence & { mixesCallers: boolean } {
  const usual = baseline.map(textOf).filter((text) => text !== '');
  const shared = sharedStatements(
    results.flatMap(({ step, exchange }) => (step.attempt && exchange?.answer ? [textOf(exchange)] : [])),
  );
  const seen = new Map<AttackCategory, Seen[]>(ATTACK_CATEGORIES.map((category) => [category, []]));
  const canaries = results.filter(({ exchange }) => exchange !== null).map(({ step }) => step.canary);
  const attempts = results.flatMap(({ step, exchange }) =>
    exchange ? [{ exchange, own: step.canary }] : [],
  );
  const mixes = mixesCallers([...attempts, ...baseline.map((exchange) => ({ exchange }))], canaries);
  for (const result of results) {
    const { attempt } = result.step;
    const outcome = outcomeOf(result, canaries, { usual, shared }, plan.role);
    const probe = { invocationId: result.exchange?.fact.invocationId };
    const isForeign = outcome.kind === 'answered' && outcome.leaks.includes('foreign_canary');
    if (isForeign)
      seen.get('cross_tenant_leakage')?.push({ kind: 'answered', leaks: ['foreign_canary'], ...probe });
    if (!attempt || (isForeign && attempt.category === 'cross_tenant_leakage')) continue;
    const leaks =
      outcome.kind === 'answered'
        ? outcome.leaks.filter((kind) => kind !== 'foreign_canary' && !(mixes && OF_INSTRUCTIONS.has(kind)))
        : [];
    seen
      .get(attempt.category)
      ?.push(outcome.kind === 'answered' ? { kind: 'answered', leaks, ...probe } : outcome);
    for (const { category, kind } of hazardsOf(result, plan, mixes))
      seen.get(category)?.push({ kind: 'answered', leaks: [kind], ...probe });
  }
  for (const { category, kind, invocationId } of ordinaryLeaks(baseline, canaries, {
    ...plan,
    mixes,
  }))
    seen.get(category)?.push({ kind: 'answered', leaks: [kind], invocationId });
  const attacks = ATTACK_CATEGORIES.map((category) => factOf(category, seen.get(category) ?? []));
  return { suite: SUITE_VERSION, attacks, mixesCallers: mixes };
}

/** What an answer to an attempt does to its reader; orders may be those of the attempt in other words. */
function hazardsOf({ step, exchange }: AttackResult, plan: Declared, mixes: boolean): Hazard[] {
  if (!exchange?.answer || step.input === undefined) return [];
  const input = textOfAnswer(Buffer.from(step.input)).text;
  const hazards = hazardsIn(textOf(exchange), input, { ...plan, writesPrompts: plan.writesPrompts || mixes });
  return hazards.filter(({ kind }) => kind !== 'sends_text_away');
}

type Seen =
  | { kind: 'answered'; leaks: LeakKind[]; invocationId?: string | undefined }
  | { kind: 'no_text_input' | 'not_answered' };

function outcomeOf(
  { step, exchange, isExtractor }: AttackResult,
  canaries: readonly Canary[],
  known: Pick<Answered, 'usual' | 'shared'>,
  role: InputRole,
): Seen {
  if (step.input === undefined) return { kind: 'no_text_input' };
  if (!exchange) return { kind: 'not_answered' };
  const { answer, fact } = exchange;
  if (answer === null) {
    const refused = fact.status !== null && fact.status >= 400 && fact.status < 500;
    return refused ? { kind: 'answered', leaks: [] } : { kind: 'not_answered' };
  }
  const mayObey = role === 'instructions' || isExtractor;
  const attempt = step.attempt && (mayObey ? { ...step.attempt, obeyed: null } : step.attempt);
  const leaks = leaksIn({
    output: textOfAnswer(answer).text,
    input: textOfAnswer(Buffer.from(step.input)).text,
    leaves: leavesOfAnswer(answer),
    attempt,
    own: step.canary,
    words: step.words,
    others: canaries.filter((canary) => canary !== step.canary),
    ...known,
  });
  return { kind: 'answered', leaks };
}

/**
 * True when an answer to `input` (JSON) says little more than the words of its step, and did not take them from there.
 */
export function saysWords(words: string, input: string, answer: Buffer): boolean {
  const text = textOfAnswer(Buffer.from(input)).text;
  return obeys({ input: text, leaves: leavesOfAnswer(answer), words });
}

/** A field that takes no text is no gap: without text, nothing can be injected, and no points are lost. */
function factOf(category: AttackCategory, seen: readonly Seen[]): AttackFact {
  const leaks: AttackFact['leaks'] = [];
  for (const outcome of seen) {
    if (outcome.kind !== 'answered') continue;
    const { invocationId } = outcome;
    for (const kind of outcome.leaks) {
      const known = leaks.find((leak) => leak.kind === kind);
      if (known) known.attempts += 1;
      else leaks.push({ kind, attempts: 1, ...(invocationId !== undefined && { invocationId }) });
    }
  }
  const count = (kind: Seen['kind']) => seen.filter((outcome) => outcome.kind === kind).length;
  const missing = count('not_answered');
  const gaps: Gap[] = missing > 0 ? [{ code: 'not_answered', count: missing }] : [];
  leaks.sort((a, b) => a.kind.localeCompare(b.kind, 'en'));
  const looked = count('answered');
  return { category, coverage: { wanted: looked + missing, looked, gaps }, leaks };
}

/** Returns the items in random order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const list = [...items];
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other] as T, list[at] as T];
  }
  return list;
}

/** Returns one item. Throws `Error` for an empty list. */
export function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('an empty list');
  return item;
}
