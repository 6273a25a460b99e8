/**
 * Which tools a run has tested, and evidence whose coverage is counted in tools: a tool that was not called earns
 * nothing.
 */
import { type CheckCoverage, FACT_LIMIT, type Gap, type GapCode } from '../../domain/evidence/evidence-facts';
import type { AttackFact } from '../../domain/verification/probe-facts';
import type { ToolFact, ToolTests, UntestedReason } from '../../domain/catalogue/tools/tool-tests';
import { shownName } from './tool-scan';

/** What came of the calls of a tool. */
export interface ToolCounts {
  calls: number;
  /** Answers that conform. */
  answered: number;
  refused: number;
}

const NONE: ToolCounts = { calls: 0, answered: 0, refused: 0 };

/** All tools of a list. `left`: why tools were not to be called; `counts`: what came of the calls, by name. */
export function testedTools(
  names: readonly string[],
  left: ReadonlyMap<string, UntestedReason>,
  counts: ReadonlyMap<string, ToolCounts>,
): { tests: ToolTests; gaps: Gap[] } {
  const facts = names.map((name): ToolFact => {
    const { calls, answered, refused } = counts.get(name) ?? NONE;
    const why = answered > 0 ? undefined : (left.get(name) ?? reasonOf(calls, refused));
    return { name: shownName(name), calls, answered, ...(why && { why }) };
  });
  const codes = facts.flatMap(({ why }) => (why ? [GAPS[why]] : []));
  const gaps = [...new Set(codes)]
    .sort()
    .map((code) => ({ code, count: codes.filter((other) => other === code).length }));
  const tested = facts.length - codes.length;
  return { tests: { total: facts.length, tested, tools: facts.slice(0, FACT_LIMIT) }, gaps };
}

function reasonOf(calls: number, refused: number): UntestedReason {
  if (calls === 0) return 'no_time';
  return refused === calls ? 'refused' : 'failed';
}

const GAPS: Record<UntestedReason, GapCode> = {
  undeclared: 'tools_not_called',
  needs_task: 'tools_not_called',
  too_many: 'tools_not_called',
  no_input: 'tools_without_input',
  refused: 'tools_without_input',
  unproven: 'ownership_unproven',
  no_time: 'not_answered',
  failed: 'not_answered',
};

/** Coverage counted in tools: those that were tested, of all. */
export function inTools({ total, tested }: ToolTests, gaps: readonly Gap[]): CheckCoverage {
  return { wanted: total, looked: tested, gaps: [...gaps] };
}

/**
 * Coverage of the red team, of which attempts were answered and of which tools could be attacked. Without an attempt
 * that a tool takes, only the tools count.
 */
export function attacksOnTools(
  attacks: readonly AttackFact[],
  { total, called, gaps }: { total: number; called: number; gaps: readonly Gap[] },
): AttackFact[] {
  return attacks.map(({ category, coverage: { wanted, looked, gaps: missed }, leaks }) => {
    const [most, done] = wanted === 0 ? [1, 1] : [wanted, looked];
    const coverage = { wanted: most * total, looked: done * called, gaps: [...missed, ...gaps] };
    return { category, coverage, leaks };
  });
}
