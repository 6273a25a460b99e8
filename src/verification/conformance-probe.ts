/**
 * The live conformance probe: calls the agent with inputs made from its schema and checks the answers against its
 * output schema. A probe looks exactly like a buyer's call; the caller brings the way to make one. Evidence is facts:
 * codes, durations and places in the answer, never a body, the endpoint or a secret.
 */
import type { ErrorCode, FieldProblem } from '../domain/errors';

/** `no_tools`: an MCP server that names none. */
export type ProbeCode = ErrorCode | 'no_tools';

export type ProbeAnswer =
  | { ok: true; json: Buffer; durationMs: number }
  | {
      ok: false;
      code: ProbeCode;
      durationMs: number;
      /** Of HTTP; absent when no answer came. */
      status?: number | undefined;
    };

export interface ProbeDeps {
  /** One call as a buyer would make it. Throws only for faults of ours. */
  call(input: Buffer): Promise<ProbeAnswer>;
  /** Problems of an answer; empty when it conforms. */
  check(answer: Buffer): Promise<FieldProblem[]>;
  pause(ms: number): Promise<void>;
}

export interface ProbeResult {
  code: ProbeCode | 'conforms';
  duration_ms: number;
  /** HTTP status of an answer that is none. */
  status?: number;
  /** For `output_schema_mismatch`: where the answer is wrong. */
  problems?: string[];
  tries: number;
}

export interface ConformanceEvidence {
  coverage: { inputs_wanted: number; inputs_made: number };
  probes: ProbeResult[];
}

/** One more try, since a connection may break once for anyone. */
const SECOND_TRY: ReadonlySet<ProbeCode> = new Set(['agent_unreachable', 'agent_error', 'agent_timeout']);
const PAUSE_MS = 1_000;
const MAX_PROBLEMS_SHOWN = 5;

/** Probes with each input in turn, until one fails for good. */
export async function probeConformance(
  deps: ProbeDeps,
  inputs: readonly string[],
  wanted: number,
): Promise<ConformanceEvidence> {
  const probes: ProbeResult[] = [];
  for (const input of inputs) {
    let result = await probeOnce(deps, input, 1);
    if (result.code !== 'conforms' && SECOND_TRY.has(result.code)) {
      await deps.pause(PAUSE_MS);
      result = await probeOnce(deps, input, 2);
    }
    probes.push(result);
    if (result.code !== 'conforms') break;
  }
  return { coverage: { inputs_wanted: wanted, inputs_made: inputs.length }, probes };
}

async function probeOnce(deps: ProbeDeps, input: string, tries: number): Promise<ProbeResult> {
  const answer = await deps.call(Buffer.from(input));
  const result = { duration_ms: answer.durationMs, tries };
  if (!answer.ok) {
    const { code, status } = answer;
    return { ...result, code, ...(status !== undefined && { status }) };
  }
  const problems = await deps.check(answer.json);
  if (problems.length === 0) return { ...result, code: 'conforms' };
  return {
    ...result,
    code: 'output_schema_mismatch',
    problems: problems.slice(0, MAX_PROBLEMS_SHOWN).map(describe),
  };
}

function describe({ loc, msg }: FieldProblem): string {
  return `${loc.length === 0 ? 'the answer' : `/${loc.join('/')}`} ${msg}`;
}

/** Why the evidence keeps a version from going live; undefined when it does not. */
export function conformanceFailure(evidence: ConformanceEvidence): string | undefined {
  const { coverage, probes } = evidence;
  if (coverage.inputs_made === 0) {
    return 'No valid input could be made from input_schema: add `examples` to it.';
  }
  const index = probes.findIndex(({ code }) => code !== 'conforms');
  const failed = probes[index];
  if (!failed) return undefined;
  const status = failed.status === undefined ? '' : ` (HTTP status ${failed.status})`;
  const detail = failed.problems ? `: ${failed.problems.join('; ')}` : status;
  return `Probe ${index + 1} failed with ${failed.code}${detail}`.slice(0, 1_000);
}
