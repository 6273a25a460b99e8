/**
 * One probe: calls the agent with a valid input and checks the answer against what its schema promises. A probe looks
 * exactly like a buyer's call; the caller brings the way to make one. What it tells are facts: a code, a duration,
 * places in the answer, never the endpoint or a secret.
 */
import type { ErrorCode, FieldProblem } from '../../domain/errors';
import type { ProbeCode, ProbeFact } from '../../domain/verification/probe-facts';

export type ProbeAnswer =
  | { ok: true; json: Buffer; durationMs: number }
  | {
      ok: false;
      code: ErrorCode | 'no_tools';
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

export interface Exchange {
  input: string;
  fact: ProbeFact;
  answer: Buffer | null;
}

/** One more try, since a connection may break once for anyone. */
const SECOND_TRY: ReadonlySet<ProbeCode> = new Set(['agent_unreachable', 'agent_error', 'agent_timeout']);
const PAUSE_MS = 1_000;
const MAX_PROBLEMS_SHOWN = 5;

/** Probes with one input; a second time when the failure may be over in a moment. */
export async function probe(deps: ProbeDeps, input: string): Promise<Exchange> {
  const first = await probeOnce(deps, input, 1);
  if (!mayPass(first)) return first;
  await deps.pause(PAUSE_MS);
  return probeOnce(deps, input, 2);
}

/** A failure of the connection or the agent that may be over in a moment; after the second try it is not. */
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
