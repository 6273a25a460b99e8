/**
 * Probes an agent: calls it with a valid input and validates the answer against its output schema. A probe is
 * indistinguishable from a buyer's call, which the caller of this module provides. Results are facts (a code, a
 * duration, positions in the answer), never the endpoint or a secret.
 */
import type { ConnectionCause } from '../../domain/calls/connection-cause';
import type { FieldProblem } from '../../domain/errors';
import type { ProbeCode, ProbeFact } from '../../domain/verification/probe-facts';

/** `invocationId`: of the probe. `tries`: the attempts that the call path made, as for a buyer; default 1. */
export type ProbeAnswer = {
  durationMs: number;
  /** How long the job took, if the agent took the probe as one. */
  jobMs?: number;
  invocationId?: string;
  tries?: number;
} & (
  | {
      ok: true;
      json: Buffer;
      /** No schema says what an answer is. */
      unchecked?: true;
    }
  | {
      ok: false;
      code: Exclude<ProbeCode, 'conforms'>;
      /** HTTP status; absent when there was no response. */
      status?: number | undefined;
      /** Why there was no response. */
      cause?: ConnectionCause | undefined;
      /** What is wrong, as a sentence of the service. */
      words?: string | undefined;
    }
);

export interface ProbeDeps {
  /** Makes one call like a buyer. Throws for internal faults only. */
  call(input: Buffer): Promise<ProbeAnswer>;
  /** Validates an answer; returns no problems when it conforms. */
  check(answer: Buffer): Promise<FieldProblem[]>;
  /** Resolves when a failure that may have been transient can be over. */
  pause(): Promise<void>;
}

/**
 * A valid input. `example`: the owner gave it, so the agent must answer it; `made`: from the schema; undefined: for an
 * agent without a schema.
 */
export interface ProbeInput {
  text: string;
  origin?: 'example' | 'made';
}

export interface Exchange {
  input: string;
  fact: ProbeFact;
  answer: Buffer | null;
}

/** Failures that are retried once, because they can be transient. */
const SECOND_TRY: ReadonlySet<ProbeCode> = new Set(['agent_unreachable', 'agent_error', 'agent_timeout']);
const MAX_PROBLEMS_SHOWN = 5;
/** Statuses that refuse the caller or the address, and never the input. */
const NO_REFUSAL: ReadonlySet<number> = new Set([401, 405, 407, 410]);

/** Probes with one input; retries once after a transient failure. */
export async function probe(deps: ProbeDeps, input: ProbeInput): Promise<Exchange> {
  const first = await probeOnce(deps, input, 1);
  if (!mayPass(first)) return first;
  await deps.pause();
  return probeOnce(deps, input, first.fact.tries + 1);
}

/** True for a failure that can be transient; after the retry it counts as final. */
export function mayPass({ fact }: Exchange): boolean {
  return SECOND_TRY.has(fact.code) && !isRefusal(fact);
}

/** True when the agent refused the input (4xx). If the input was made from the schema, that proves nothing. */
export function isRefusal({ code, status, input }: Pick<ProbeFact, 'code' | 'status' | 'input'>): boolean {
  if (code !== 'agent_error' || status === null || input === undefined) return false;
  return status >= 400 && status < 500 && !NO_REFUSAL.has(status);
}

/** Probes with one input, without another try. `before`: the number of this try. */
export async function probeOnce(deps: ProbeDeps, given: ProbeInput, before = 1): Promise<Exchange> {
  const { text: input, origin } = given;
  const answer = await deps.call(Buffer.from(input));
  const { durationMs, jobMs, invocationId, tries = 1 } = answer;
  const known = {
    durationMs,
    ...(jobMs !== undefined && { jobMs }),
    tries: before - 1 + tries,
    ...(origin !== undefined && { input: origin }),
    ...(invocationId !== undefined && { invocationId }),
  };
  if (!answer.ok) {
    const { code, status = null, cause, words } = answer;
    const problems = words === undefined ? [] : [words];
    const fact = { ...known, code, status, problems, ...(cause && { cause }) };
    return { input, fact, answer: null };
  }
  const problems = (await deps.check(answer.json)).slice(0, MAX_PROBLEMS_SHOWN).map(describe);
  const code = problems.length === 0 ? 'conforms' : 'output_schema_mismatch';
  const { json, unchecked } = answer;
  const fact = { ...known, code, status: null, problems, ...(unchecked && { unchecked }) } as const;
  return { input, fact, answer: json };
}

function describe({ loc, msg }: FieldProblem): string {
  return `${loc.length === 0 ? 'the answer' : `/${loc.join('/')}`} ${msg}`;
}
