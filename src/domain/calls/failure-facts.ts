import { type ConnectionCause, textOfCause } from './connection-cause';

/**
 * Where a call failed: no response of the agent came, its response was refused, or its answer violates the schema or
 * fails a test of the buyer.
 */
export type FailurePhase = 'connection' | 'answer' | 'schema' | 'acceptance';

/** What is known about a failed call. */
export interface FailureFacts {
  phase: FailurePhase;
  /** The HTTP status of the agent's response. */
  status: number | null;
  /** JSON pointer to the first value that violates the output schema. */
  schemaPath: string | null;
  /** What is wrong there, or why no response came. */
  problem: string | null;
  /** Why the agent refused the request, in its own words. Untrusted, and without secrets. */
  words: string | null;
}

const MOST_CHARACTERS = 300;
const MOST_WORDS = 500;
/** An agent that refuses the marketplace itself says nothing about the buyer's input. */
const ABOUT_THE_MARKETPLACE: ReadonlySet<number> = new Set([401, 403, 407]);
/** The 4xx that refuse the moment: too late, in progress, too early, too many. The others refuse the request. */
export const OF_THE_MOMENT: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Whether a response refuses the buyer's request, so that the buyer may read why. */
export function refusesRequest(status: number): boolean {
  return status >= 400 && status < 500 && !ABOUT_THE_MARKETPLACE.has(status);
}

/** Whether a response refuses the buyer's request for what it contains, so that it is no failure of the agent. */
export function refusesInput(status: number): boolean {
  return refusesRequest(status) && !OF_THE_MOMENT.has(status);
}

/**
 * The agent's own words in the body of a refusal, `{"error": {"message": "…"}}`: one line of at most 500 characters.
 * Null for every other body, so that no stack trace or page of a proxy reaches a buyer.
 */
export function wordsOfRefusal(body: unknown): string | null {
  const message = memberOf(memberOf(body, 'error'), 'message');
  return typeof message === 'string' ? lineOf(message, MOST_WORDS) : null;
}

/** An agent's text as one line of at most so many characters; null if nothing is left of it. */
export function lineOf(text: string, most: number): string | null {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line === '' ? null : shortened(line, most);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** The facts of a call that got no answer: its response was refused, or none came. */
export function unansweredFacts(refusal: {
  status?: number | undefined;
  agentMessage?: string | undefined;
  problem?: string | undefined;
  cause?: ConnectionCause | undefined;
}): FailureFacts {
  const { status = null, agentMessage: words = null, cause } = refusal;
  const problem = cause ? textOfCause(cause).what : shortened(refusal.problem ?? '', MOST_CHARACTERS) || null;
  return { phase: status === null ? 'connection' : 'answer', status, words, schemaPath: null, problem };
}

/** A place in a value as a JSON pointer (RFC 6901), and what is wrong there. */
export function schemaFacts(problem: { loc: readonly (string | number)[]; msg: string } | undefined) {
  const pointer = problem?.loc.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return {
    schemaPath: pointer ? shortened(pointer.join('') || '/', MOST_CHARACTERS) : null,
    problem: problem ? shortened(problem.msg, MOST_CHARACTERS) : null,
  };
}

function shortened(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text;
}
