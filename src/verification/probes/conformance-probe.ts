/**
 * Probes an agent: calls it with a valid input and validates the answer against its output schema. A probe is
 * indistinguishable from a buyer's call, which the caller of this module provides. Results are facts (a code, a
 * duration, positions in the answer), never the endpoint or a secret.
 */
import type { ErrorCode, FieldProblem } from '../../domain/errors';
import type { ProbeCode, ProbeFact } from '../../domain/verification/probe-facts';

export type ProbeAnswer =
  | { ok: true; json: Buffer; durationMs: number }
  | {
      ok: false;
      code: ErrorCode | 'no_tools';
      durationMs: number;
      /** HTTP status; absent when there was no response. */
      status?: number | undefined;
    };

export interface ProbeDeps {
  /** Makes one call like a buyer. Throws for internal faults only. */
  call(input: Buffer): Promise<ProbeAnswer>;
  /** Validates an answer; returns no problems when it conforms. */
  check(answer: Buffer): Promise<FieldProblem[]>;
  pause(ms: number): Promise<void>;
}

export interface Exchange {
  input: string;
  fact: ProbeFact;
  answer: Buffer | null;
}

/** Failures that are retried once, because they can be transient. */
const SECOND_TRY: ReadonlySet<ProbeCode> = new Set(['agent_unreachable', 'agent_error', 'agent_timeout']);
const PAUSE_MS = 1_000;
const MAX_PROBLEMS_SHOWN = 5;

/** Probes with one input; retries once after a transient failure. */
export async function probe(deps: ProbeDeps, input: string): Promise<Exchange> {
  const first = await probeOnce(deps, input, 1);
  if (!mayPass(first)) return first;
  await deps.pause(PAUSE_MS);
  return probeOnce(deps, input, 2);
}

/** True for a failure that can be transient; after the retry it counts as final. */
export function mayPass({ fact }: Exchange): boolean {
  return SECOND_TRY.has(fact.code);
}

async function probeOnce(deps: ProbeDeps, input: string, tries: number): Promise<Exchange> {
  const answer = await deps.call(Buffer.from(input));
  const { durationMs } = answer;
  if (!answer.ok) {
    const fact = { code: answer.code, durationMs, tries, status: answer.status ?? null, problems: [] };
    return { input, fact, answer: null };
  }
  const problems = (await deps.check(answer.json)).slice(0, MAX_PROBLEMS_SHOWN).map(describe);
  const code = problems.length === 0 ? 'conforms' : 'output_schema_mismatch';
  return { input, fact: { code, durationMs, tries, status: null, problems }, answer: answer.json };
}

function describe({ loc, msg }: FieldProblem): string {
  return `${loc.length === 0 ? 'the answer' : `/${loc.join('/')}`} ${msg}`;
}
