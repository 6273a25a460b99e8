/** The check of an input against the schema of the version that serves an agent. */
import type { FieldProblem } from '../../../domain/errors';
import { MarketError } from '../../../domain/errors';
import { isStorable } from '../../../domain/json-value';
import type { SchemaCheck } from '../../../kit/schemas/compiled-schemas';
import type { SchemaPool, SchemaVerdict } from '../../../kit/schemas/schema-pool';
import type { ServingVersion } from '../../../stores/catalogue/serving-versions';
import type { ServingVersions } from '../../catalogue/serving-version-cache';
import { TOOL_CALL_SCHEMA } from '../../mcp/tool-call';
import { inputLimit } from './agent-answer';

/**
 * The verdict on a large input, which was validated in the thread that parsed it. `key`: of the schema. `exceeded`: the
 * validation exceeded its time or memory.
 */
export type CheckedInput = { key: string } & (
  { problems: FieldProblem[] } | { exceeded: 'deadline' | 'memory' }
);

/** The body for the agent, and its hash: of the canonical form for JSON, of the bytes for a verbatim body. */
export interface PreparedInput {
  body: Buffer;
  contentType: string;
  sha256: string;
  /** The verdict on a large input, which was validated where it was parsed. */
  checked?: CheckedInput;
}

/**
 * Every problem of an input, at `["body", "input", …]`; one problem, which names no field, if the check took too long.
 * Empty for an agent without a schema. A verdict that exists is used if it is about the same schema.
 */
export async function inputProblems(
  schemas: Pick<SchemaPool, 'validate' | 'exceeded'>,
  version: ServingVersion,
  input: Buffer,
  checked?: CheckedInput,
): Promise<FieldProblem[]> {
  const schema = inputSchemaOf(version);
  if (!schema) return [];
  const isChecked = checked?.key === schema.key;
  const verdict = isChecked
    ? verdictOf(schemas, checked)
    : await schemas.validate(schema.key, schema.text, input);
  if (verdict.valid) return [];
  const problems = verdict.problems.map((problem) => ({
    ...problem,
    loc: ['body', 'input', ...problem.loc],
  }));
  if (problems.length > 0) return problems;
  return [{ loc: ['body', 'input'], msg: verdict.reason, type: verdict.reason }];
}

/** Throws `payload_too_large`, and `input_schema_mismatch` with every problem. */
export async function requireInput(
  schemas: Pick<SchemaPool, 'validate' | 'exceeded'>,
  version: ServingVersion,
  { body, checked }: PreparedInput,
): Promise<void> {
  const limitBytes = inputLimit(version);
  if (body.length > limitBytes) {
    throw new MarketError('payload_too_large', {
      message: `The input has ${body.length} bytes; this agent accepts at most ${limitBytes}.`,
    });
  }
  const detail = await inputProblems(schemas, version, body, checked);
  if (detail.length > 0) throw new MarketError('input_schema_mismatch', { detail });
}

function verdictOf(schemas: Pick<SchemaPool, 'exceeded'>, checked: CheckedInput): SchemaVerdict {
  if ('exceeded' in checked) return schemas.exceeded(checked.key, checked.exceeded);
  const { problems } = checked;
  return problems.length === 0 ? { valid: true } : { valid: false, problems, reason: 'mismatch' };
}

/** The schema of a version's inputs, and a key that identifies it permanently; null if it has none. */
function inputSchemaOf(version: ServingVersion): { key: string; text: string } | null {
  if (version.kind === 'mcp') return { key: 'mcp:input', text: TOOL_CALL_SCHEMA };
  const { inputSchema: text, versionId } = version;
  return text === null ? null : { key: `${versionId}:input`, text };
}

/** What a thread that parses an input needs to validate it as well; null if it has no schema, or a slow one. */
export function inputCheckOf(
  schemas: Pick<SchemaPool, 'checkFor'>,
  version: ServingVersion,
): SchemaCheck | null {
  const schema = inputSchemaOf(version);
  return schema && schemas.checkFor(schema.key, schema.text);
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
  schemas: Pick<SchemaPool, 'validate' | 'exceeded'>;
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
