/**
 * Work on the bytes of a request or an answer. It runs in the process for small ones, and in a thread for large ones.
 */
import { operations } from '../../contract/operations';
import { MarketError, type ErrorCode, type FieldProblem } from '../../domain/errors';
import { isRecord } from '../../domain/json-value';
import { canonicalJson } from '../../kit/json/canonical-json';
import { textOfOutput } from '../../kit/streams/agent-stream';
import { problemsOf, type SchemaCheck } from '../../kit/schemas/compiled-schemas';
import type { Check } from '../../kit/schemas/validator';
import type { PreparedInput } from '../../services/calls/agent/input-check';
import { type A2aDivideOptions, divideA2a } from './divided-a2a';
import { type DivideOptions, divideMessage } from './divided-mcp';
import { type CallbackProof, readCallback } from './callback-body';
import { type PassedFields, passedJson, quotedText } from './result-json';
import { parseJsonBody } from './body';
import { bodyCheckOf } from './body-check';
import { prepareInput, PREPARES, prepareVerbatim } from './prepares';
import { RefusedCall, refusedBody, type RefusedCallInput } from './refused-call';

/** Work on a body. `check`: the schema of the input in it, which is validated in the same thread. */
export type BodyTask = BodyWork & { check?: SchemaCheck };

type BodyWork =
  /** The body of an operation, validated and prepared. `problems` were found in the query before. */
  | { kind: 'operation'; operationId: string; problems: FieldProblem[] }
  /** Bytes for an agent that gets them as they are. */
  | { kind: 'verbatim'; contentType: string }
  /** The arguments of a tool of an MCP server, which become the input of its agent. */
  | { kind: 'named_input'; tool: string }
  /** JSON that is the input of a call. */
  | { kind: 'input'; needsCanonical: boolean }
  /** A JSON-RPC message of MCP; the arguments of a tool call are prepared as its input. */
  | ({ kind: 'mcp' } & DivideOptions)
  /** A request of A2A; its message is prepared as the input of a call. */
  | ({ kind: 'a2a' } & A2aDivideOptions)
  /** A callback of an agent, whose signature is checked first. */
  | ({ kind: 'callback' } & CallbackProof)
  | AnswerTask;

export type AnswerTask =
  /** The text of an answer, as a chat shows it. */
  | { kind: 'text' }
  /** An answer as the text of a JSON string, as MCP shows it. */
  | { kind: 'quoted' }
  /** The result of an MCP server, to which fields of ours are added. */
  | ({ kind: 'mcp_result' } & PassedFields);

/** What a task results in, in a form that passes between threads. Faults of the service are thrown. */
export type BodyOutcome =
  | { ok: true; value: unknown }
  | {
      ok: false;
      code: ErrorCode;
      message: string;
      detail: FieldProblem[] | undefined;
      /** Present if the refused body is a call. */
      call: RefusedCallInput | undefined;
    }
  /** The validation of the input exceeded its time or memory; the task itself is to be performed without it. */
  | { ok: false; exceeded: 'deadline' | 'memory' };

const checks = new Map<string, Check | undefined>();

function checkOf(operationId: string): Check | undefined {
  if (!checks.has(operationId)) {
    const operation = operations.find(({ id }) => id === operationId);
    checks.set(operationId, operation && bodyCheckOf(operation));
  }
  return checks.get(operationId);
}

/**
 * Performs a task. Throws `malformed_json`, `payload_too_large`, `validation_failed`; `invalid_credentials` for a
 * callback.
 */
export function performBodyTask(task: BodyTask, bytes: Buffer): unknown {
  if (task.kind === 'verbatim') return { input: prepareVerbatim(bytes, task.contentType) };
  if (task.kind === 'text') return { text: textOfOutput(bytes) };
  if (task.kind === 'quoted') return { json: quotedText(bytes) };
  if (task.kind === 'mcp_result') return { json: passedJson(bytes, task) };
  if (task.kind === 'callback') return readCallback(bytes, task);
  const { value, nodes } = parseJsonBody(bytes, task.kind === 'operation' && !PREPARES.has(task.operationId));
  if (task.kind === 'a2a') return divideA2a(value, bytes.length, task);
  if (task.kind === 'mcp') return divideMessage(value, task);
  if (task.kind === 'named_input') return { input: prepareInput({ tool: task.tool, arguments: value }) };
  if (task.kind === 'input') return inputOf(value, task.needsCanonical);
  const problems = [...task.problems, ...(checkOf(task.operationId)?.(value, nodes) ?? [])];
  if (problems.length > 0) throw refusedBody(task.operationId, value, problems);
  const prepare = PREPARES.get(task.operationId)?.prepare;
  return prepare ? prepare(value as never) : value;
}

/** The call in the result of a task, if it has one. */
const callIn = (result: unknown): PreparedInput | undefined =>
  (result as { input?: PreparedInput } | undefined)?.input;

/** Performs a task and validates the input of the call in it. */
export function performChecked(task: BodyTask, bytes: Buffer): unknown {
  const result = performBodyTask(task, bytes);
  const input = callIn(result);
  if (!task.check || task.kind === 'verbatim' || !input) return result;
  const value: unknown = JSON.parse(input.body.toString());
  input.checked = { key: task.check.key, problems: problemsOf(task.check, value) };
  return result;
}

/** Adds the verdict on an input whose validation was given up. */
export function markExceeded(result: unknown, key: string, exceeded: 'deadline' | 'memory'): void {
  const input = callIn(result);
  if (input) input.checked = { key, exceeded };
}

function inputOf(value: unknown, needsCanonical: boolean) {
  if (!isRecord(value)) {
    const detail = [{ loc: ['body'], msg: 'must be an object', type: 'type' }];
    throw new MarketError('validation_failed', { detail });
  }
  const { tool } = value;
  const canonical = canonicalJson(value);
  return {
    input: prepareInput(value, canonical),
    canonical: needsCanonical ? canonical : '',
    ...(typeof tool === 'string' && { tool }),
  };
}

export function outcomeOf(work: () => unknown): BodyOutcome {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    const { code, message, detail } = error;
    return { ok: false, code, message, detail, call: error instanceof RefusedCall ? error.call : undefined };
  }
}
