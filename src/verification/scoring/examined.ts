/** What a run examined of the behaviour of an agent: answers that were checked, and those that were right. */
import type { GapCode } from '../../domain/evidence/evidence-facts';
import type { RunEvidence } from '../../domain/verification/probe-facts';
import type { Examined } from '../../domain/verification/trust';
import type { Coverages, Looked } from './points';

/**
 * Counts answers that a schema checks. An answer is right if it conforms and is no wrong answer to an example. The list
 * of an MCP server is no answer: its tools answer.
 */
export function examinedOf({ dynamic, redTeam }: Pick<RunEvidence, 'dynamic' | 'redTeam'>): Examined {
  const probes = dynamic.conformance.probes.filter(({ unchecked }) => unchecked !== true);
  const count = (code: string) => probes.filter((probe) => probe.code === code).length;
  const mismatched = count('output_schema_mismatch');
  const { answered = 0, mismatched: failed = 0 } = redTeam.answers ?? {};
  if (dynamic.tools !== null) {
    const right = toolAnswers(dynamic.tools);
    return { checked: right + mismatched + failed, right };
  }
  const conforming = count('conforms');
  const wrong = Math.min(conforming, dynamic.expected?.wrong.length ?? 0);
  return {
    checked: conforming + mismatched + answered,
    right: conforming - wrong + answered - failed,
  };
}

/** Right answers of the tools of an MCP agent; none in evidence before tools were called. */
function toolAnswers({ tested }: NonNullable<RunEvidence['dynamic']['tools']>): number {
  return (tested?.tools ?? []).reduce((sum, { answered }) => sum + answered, 0);
}

/** No points for behaviour if no answer was right: what was asked for and refused was not examined. */
export function withoutBehaviour(coverages: Coverages, { dynamic }: Pick<RunEvidence, 'dynamic'>): Coverages {
  const code = reasonOf(dynamic);
  const nothing = <C extends Record<string, Looked>>(checks: C): C =>
    Object.fromEntries(
      Object.entries(checks).map(([name, { wanted, gaps }]) => {
        const count = Math.max(1, wanted);
        return [name, { wanted: count, looked: 0, gaps: gaps.length > 0 ? gaps : [{ code, count }] }];
      }),
    ) as C;
  return {
    ...coverages,
    dynamic_testing: nothing(coverages.dynamic_testing),
    red_team: nothing(coverages.red_team),
  };
}

function reasonOf({ conformance, tools }: RunEvidence['dynamic']): GapCode {
  const [gap] = conformance.coverage.gaps;
  if (gap) return gap.code;
  if (conformance.probes.some(({ unchecked }) => unchecked)) return 'no_input_schema';
  return tools === null ? 'not_answered' : 'no_input_schema';
}
