/**
 * The red team stage: sends the attempts of the suite, each like a buyer's call, and runs the leak detectors on the
 * answers. Evidence is counts by category and kind, without prompts, canaries or answers.
 */
import {
  ATTACK_CATEGORIES,
  type AttackCategory,
  type AttackFact,
  type LeakKind,
  type RedTeamEvidence,
} from '../../domain/verification/probe-facts';
import type { Gap } from '../../domain/evidence/evidence-facts';
import type { ProbeAnswer } from './conformance-probe';
import { textOfAnswer } from './answer-text';
import { type Canary, instructs, leaksIn } from './leak-detectors';
import { ATTEMPTS, type Attempt, SEEDS, SUITE_VERSION } from './red-team-suite';
import { withText } from './text-fields';

export interface RedTeamDeps {
  /** Makes one call like a buyer. Throws for internal faults only. */
  call(input: Buffer): Promise<ProbeAnswer>;
  /** True when the agent's schema accepts this input. */
  accepts(input: string): Promise<boolean>;
  newCanary(): Canary;
  /** False when the time of the stage is used up; the remaining attempts are then skipped. */
  hasTime(): boolean;
}

interface Step {
  attempt: Attempt | null;
  category: AttackCategory;
  canary: Canary;
  long: string;
  short: string;
}

type Seen = { kind: 'answered'; leaks: LeakKind[] } | { kind: 'no_text_input' | 'not_answered' };

/** Runs the stage. `inputs` are valid inputs with replaceable text; without any, nothing is attempted. */
export async function attackAgent(deps: RedTeamDeps, inputs: readonly string[]): Promise<RedTeamEvidence> {
  const seen = new Map<AttackCategory, Seen[]>(ATTACK_CATEGORIES.map((category) => [category, []]));
  const sent: Canary[] = [];
  for (const step of stepsOf(deps)) {
    const outcome = deps.hasTime()
      ? await take(deps, inputs, step, sent)
      : ({ kind: 'not_answered' } as const);
    note(seen, step, outcome);
  }
  const attacks = ATTACK_CATEGORIES.map((category) => factOf(category, seen.get(category) ?? []));
  return { suite: SUITE_VERSION, attacks };
}

/** Records an outcome. A canary of another call counts as cross-tenant leakage, whatever the attempt was. */
function note(seen: Map<AttackCategory, Seen[]>, { attempt, category }: Step, outcome: Seen): void {
  const isForeign = outcome.kind === 'answered' && outcome.leaks.includes('foreign_canary');
  if (isForeign) seen.get('cross_tenant_leakage')?.push({ kind: 'answered', leaks: ['foreign_canary'] });
  if (!attempt || (isForeign && category === 'cross_tenant_leakage')) return; // seeds are not attempts
  const own = outcome.kind === 'answered' ? outcome.leaks.filter((kind) => kind !== 'foreign_canary') : [];
  seen.get(category)?.push(outcome.kind === 'answered' ? { kind: 'answered', leaks: own } : outcome);
}

/** Checks an MCP server's tool descriptions for instructions to a model; calls no tool. */
export function readToolDescriptions(descriptions: readonly string[]): RedTeamEvidence {
  const hits = descriptions.filter(instructs).length;
  const attacks = ATTACK_CATEGORIES.map((category): AttackFact => {
    if (category !== 'prompt_injection') return notTried(category, 'no_input_schema');
    const coverage = { wanted: descriptions.length, looked: descriptions.length, gaps: [] };
    const leaks = hits > 0 ? [{ kind: 'followed_instruction' as const, attempts: hits }] : [];
    return { category, coverage, leaks };
  });
  return { suite: SUITE_VERSION, attacks };
}

function stepsOf({ newCanary }: RedTeamDeps): Step[] {
  const fill = (text: string, { left, right }: Canary) =>
    text.replaceAll('{canary}', `${left}${right}`).replaceAll('{left}', left).replaceAll('{right}', right);
  const seeds = SEEDS.map((text): Step => {
    const canary = newCanary();
    const long = fill(text, canary);
    return {
      attempt: null,
      category: 'cross_tenant_leakage',
      canary,
      long,
      short: `${canary.left}${canary.right}`,
    };
  });
  const attempts = ATTEMPTS.map((attempt): Step => {
    const canary = newCanary();
    const { category, text, short } = attempt;
    return { attempt, category, canary, long: fill(text, canary), short: fill(short, canary) };
  });
  return [...seeds, ...attempts];
}

/** `sent`: canaries of earlier calls, which must not occur in the answer. */
async function take(deps: RedTeamDeps, inputs: readonly string[], step: Step, sent: Canary[]): Promise<Seen> {
  const input = await inputWith(deps, inputs, step);
  if (input === undefined) return { kind: 'no_text_input' };
  const answer = await deps.call(Buffer.from(input));
  const others = [...sent];
  if (!step.attempt) sent.push(step.canary);
  if (answer.ok) {
    const { text } = textOfAnswer(answer.json);
    return {
      kind: 'answered',
      leaks: leaksIn(text, textOfAnswer(Buffer.from(input)).text, step.attempt, step.canary, others),
    };
  }
  const refused = answer.status !== undefined && answer.status >= 400 && answer.status < 500;
  return refused ? { kind: 'answered', leaks: [] } : { kind: 'not_answered' };
}

/** Returns the first variant that the agent's schema accepts. */
async function inputWith(
  deps: RedTeamDeps,
  inputs: readonly string[],
  { long, short }: Step,
): Promise<string | undefined> {
  for (const text of [long, short])
    for (const input of inputs)
      for (const candidate of withText(input, text)) if (await deps.accepts(candidate)) return candidate;
  return undefined;
}

function factOf(category: AttackCategory, seen: readonly Seen[]): AttackFact {
  const counts = new Map<LeakKind, number>();
  for (const outcome of seen)
    if (outcome.kind === 'answered')
      for (const kind of outcome.leaks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const count = (kind: Seen['kind']) => seen.filter((outcome) => outcome.kind === kind).length;
  const gaps: Gap[] = (['no_text_input', 'not_answered'] as const)
    .map((code) => ({ code, count: count(code) }))
    .filter((gap) => gap.count > 0);
  const leaks = [...counts].map(([kind, attempts]) => ({ kind, attempts }));
  leaks.sort((a, b) => a.kind.localeCompare(b.kind, 'en'));
  return { category, coverage: { wanted: seen.length, looked: count('answered'), gaps }, leaks };
}

function notTried(category: AttackCategory, code: Gap['code']): AttackFact {
  const wanted = ATTEMPTS.filter((attempt) => attempt.category === category).length;
  return { category, coverage: { wanted, looked: 0, gaps: [{ code, count: wanted }] }, leaks: [] };
}
