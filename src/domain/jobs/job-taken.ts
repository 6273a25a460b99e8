import type { AskedQuestion } from './question';

/** What a 202 of an agent, or the task of an MCP server, says about the job that it has accepted (ADR 0304, 0314). */
export interface JobTaken {
  /** The address to ask for the answer, or the task of an MCP server; null if the agent calls back. */
  location: string | null;
  /** When the agent wants to be asked, in ms from now; null if it does not say. */
  retryAfterMs: number | null;
  /** What the agent says of the work; untrusted. */
  message?: string | null;
  /** What the agent asks the buyer. */
  question?: AskedQuestion;
}

const LONGEST_LOCATION = 2_000;

/**
 * The address that an agent gave in its answer to `url`, without its fragment. Undefined if it is not an address of the
 * same origin, because the agent's credentials go with each request.
 */
export function addressAtAgent(given: string, url: string): string | undefined {
  const address = given.length > LONGEST_LOCATION ? undefined : addressOf(given, url);
  if (!address) return undefined;
  const isSame = address.origin === new URL(url).origin && !address.username && !address.password;
  address.hash = '';
  return isSame ? address.href : undefined;
}

/** The pause of a header `Retry-After` in ms; null if it names no number of seconds. */
export function retryAfterOf(header: string | undefined): number | null {
  const seconds = /^\s*(\d{1,6})\s*$/.exec(header ?? '')?.[1];
  return seconds === undefined ? null : Number(seconds) * 1_000;
}

/**
 * Reads the headers of a 202 that came from `url`. Undefined if `Location` is not an address of the same origin.
 */
export function readJobTaken(
  header: (name: string) => string | undefined,
  url: string,
): JobTaken | undefined {
  const retryAfterMs = retryAfterOf(header('retry-after'));
  const given = header('location');
  if (given === undefined) return { location: null, retryAfterMs };
  const location = addressAtAgent(given, url);
  return location === undefined ? undefined : { location, retryAfterMs };
}

/** Undefined if it is no address. */
function addressOf(given: string, base: string): URL | undefined {
  try {
    return new URL(given, base);
  } catch {
    return undefined;
  }
}

const LEAST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 60_000;

/** The pause before an agent is asked again: as it wishes, or growing by half each time, between 1 s and 60 s. */
export function pauseBeforeAsking(asked: number, retryAfterMs: number | null): number {
  const wished = retryAfterMs ?? LEAST_PAUSE_MS * 1.5 ** Math.min(asked, 20);
  return Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, Math.round(wished)));
}
