import type { FieldProblem } from '../../domain/errors';
import { asRecord } from '../../domain/json-value';
import { sha256Hex } from '../../kit/json/canonical-json';
import type { SchemaPool } from '../../kit/schemas/schema-pool';
import type { LiveDeps } from '../probes/live-testing';
import type { ToolCounts } from './tested-tools';
import { accepts, calledBy, type ToolPlan } from './tool-plan';

/** Calls tools, checks their answers by their own schemas, and counts what comes of valid inputs. */
export function toolCalls(
  schemas: Pick<SchemaPool, 'validate'>,
  calls: LiveDeps,
  { called, invalid }: ToolPlan,
) {
  const counts = new Map<string, ToolCounts>();
  const wrong = new Set(invalid.map(({ text }) => text));
  const toolOf = new WeakMap<Buffer, string>();
  const countsOf = (name: string) => counts.get(name) ?? { calls: 0, answered: 0, refused: 0 };
  const add = (name: string, what: keyof ToolCounts) => {
    const now = countsOf(name);
    counts.set(name, { ...now, [what]: now[what] + 1 });
  };

  const live: LiveDeps = {
    ...calls,
    async call(input, how) {
      const answer = await calls.call(input, how);
      if (wrong.has(input.toString())) return answer;
      const { name } = calledBy(input);
      add(name, 'calls');
      if (answer.ok) toolOf.set(answer.json, name);
      else if (answer.status === REFUSED) add(name, 'refused');
      return answer;
    },
    async check(answer) {
      const name = toolOf.get(answer);
      if (name === undefined) return [];
      const problems = await outputProblems(schemas, called.get(name)?.output ?? null, answer);
      if (problems.length === 0) add(name, 'answered');
      return problems;
    },
    accepts(input) {
      const { name, given } = calledBy(input);
      return accepts(schemas, called.get(name), given);
    },
  };
  return { live, counts };
}

/** The status that stands for a tool that refuses its input, which HTTP does not show. */
export const REFUSED = 400;

async function outputProblems(
  schemas: Pick<SchemaPool, 'validate'>,
  output: string | null,
  answer: Buffer,
): Promise<FieldProblem[]> {
  if (output === null) return [];
  const { structuredContent } = asRecord(JSON.parse(answer.toString()));
  const loc = ['structuredContent'];
  if (structuredContent === undefined)
    return [{ loc, msg: 'is required by the outputSchema of the tool', type: 'required' }];
  const verdict = await schemas.validate(sha256Hex(output), output, JSON.stringify(structuredContent));
  return verdict.valid
    ? []
    : verdict.problems.map((problem) => ({ ...problem, loc: [...loc, ...problem.loc] }));
}
