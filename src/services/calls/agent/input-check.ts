/** The check of an input against the schema of the version that serves an agent. */
import type { FieldProblem } from '../../../domain/errors';
import { MarketError } from '../../../domain/errors';
import { isStorable } from '../../../domain/storable';
import type { SchemaPool } from '../../../kit/schemas/schema-pool';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { ServingVersions } from '../../catalogue/serving-version-cache';
import { TOOL_CALL_SCHEMA } from '../../mcp/tool-call';
import { inputLimit } from './agent-caller';

/**
 * Every problem of an input, at `["body", "input", …]`; one problem, which names no field, if the check took too long.
 * Empty for an agent without a schema.
 */
export async function inputProblems(
  schemas: Pick<SchemaPool, 'validate'>,
  version: ServingVersion,
  input: Buffer,
): Promise<FieldProblem[]> {
  const isTools = version.kind === 'mcp';
  const schema = isTools ? TOOL_CALL_SCHEMA : version.inputSchema;
  if (schema === null) return [];
  const key = isTools ? 'mcp:input' : `${version.versionId}:input`;
  const verdict = await schemas.validate(key, schema, input);
  if (verdict.valid) return [];
  const problems = verdict.problems.map((problem) => ({
    ...problem,
    loc: ['body', 'input', ...problem.loc],
  }));
  if (problems.length > 0) return problems;
  return [{ loc: ['body', 'input'], msg: verdict.reason, type: verdict.reason }];
}

/** A call that was refused before its input was checked. */
export interface RefusedInput {
  /** As the caller wrote it: it may be any text. */
  agentId: string;
  /** The caller. Agents that the caller cannot call have no problems. */
  userId: string;
  input: Buffer;
}

export interface InputCheckDeps {
  servingVersions: Pick<ServingVersions, 'ofAgent'>;
  schemas: Pick<SchemaPool, 'validate'>;
}

/**
 * Finds the problems of an input whose call is refused for another reason, so that the refusal names every wrong field.
 * There are none if the input cannot be checked: its agent is not live, the input is too large, or too much is checked
 * at the moment.
 */
export function createInputCheck({ servingVersions, schemas }: InputCheckDeps) {
  async function problemsOf(version: () => Promise<ServingVersion>, input: Buffer): Promise<FieldProblem[]> {
    try {
      const serving = await version();
      return input.length > inputLimit(serving) ? [] : await inputProblems(schemas, serving, input);
    } catch (error) {
      if (error instanceof MarketError) return [];
      throw error;
    }
  }

  return {
    ofAgent: async ({ agentId, userId, input }: RefusedInput): Promise<FieldProblem[]> =>
      isStorable(agentId) ? problemsOf(() => servingVersions.ofAgent(agentId, userId), input) : [],

    ofVersion: (version: ServingVersion, input: Buffer): Promise<FieldProblem[]> =>
      problemsOf(() => Promise.resolve(version), input),
  };
}

export type InputCheck = ReturnType<typeof createInputCheck>;
